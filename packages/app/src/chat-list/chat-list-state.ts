// What of the list of chats outlives a look at a chat: the chats themselves, the folder, what is searched for.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ChatLine } from '../contract/objects.ts'
import { watch } from '../link/link.ts'
import { go, route } from '../router.ts'
import { type Folder, type SortedChats, sortChats } from './sort-chats.ts'

const lines = signal<readonly ChatLine[] | undefined>(undefined)

/** Undefined until the core has told them. */
export const sortedChats: ReadonlySignal<SortedChats | undefined> = computed(
  () => lines.value && sortChats(lines.value),
)

/** The ids of the list that is shown, as they stand in it. */
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

/** Where one pane is shown at a time the list is shown first. */
export function focusSearch(): boolean {
  if (!searchField.current) return false
  const field = searchField.current
  // At once where it is seen: what is typed right behind the shortcut belongs into it.
  if (field.offsetParent !== null) field.select()
  else {
    if (route.value.screen !== 'chats') go({ screen: 'chats' })
    requestAnimationFrame(() => field.select())
  }
  return true
}
