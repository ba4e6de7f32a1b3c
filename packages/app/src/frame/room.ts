// What the window has room for, and the conversation that stays beside what is told about a person.
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
