// The state of the chat list that outlives a visit to a chat: the chats themselves, the folder, the search text.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ChatLine } from '../contract/objects.ts'
import { watch } from '../link/link.ts'
import { go, route } from '../router.ts'
import { type Folder, type SortedChats, sortChats } from './sort-chats.ts'

const lines = signal<readonly ChatLine[] | undefined>(undefined)

/** Undefined until the core has sent them. */
export const sortedChats: ReadonlySignal<SortedChats | undefined> = computed(
  () => lines.value && sortChats(lines.value),
)

/** The ids of the shown list, in its order. */
export const chatsInOrder: ReadonlySignal<readonly string[]> = computed(
  () => sortedChats.value?.[folder.value].map(({ id }) => id) ?? [],
)

export const folder: Signal<Folder> = signal('chats')
export const searchText: Signal<string> = signal('')
/** The field, while it is on the screen. */
export const searchField: { current: HTMLInputElement | null } = { current: null }

export function startChatList(): void {
  watch('chats', [], seen => {
    lines.value = seen
  })
}

/** If one pane is shown at a time, the list is shown first. */
export function focusSearch(): boolean {
  if (!searchField.current) return false
  const field = searchField.current
  // Immediately if it is visible: keys typed right after the shortcut belong to it.
  if (field.offsetParent !== null) field.select()
  else {
    if (route.value.screen !== 'chats') go({ screen: 'chats' })
    requestAnimationFrame(() => field.select())
  }
  return true
}
