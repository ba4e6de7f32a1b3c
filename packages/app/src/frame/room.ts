// The panes that fit into the window, and the conversation that stays next to a person's details.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { route } from '../router.ts'
import { chatBeside, type Room } from './pane-plan.ts'
import { hasThreePanes } from './widths.ts'

const besideChat = signal<string | undefined>(undefined)

effect(() => {
  besideChat.value = chatBeside(route.value, besideChat.peek())
})

export const room: ReadonlySignal<Room> = computed(() => ({
  hasThird: hasThreePanes.value,
  besideChat: besideChat.value,
}))
