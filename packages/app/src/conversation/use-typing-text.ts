// The line of a chat that says who is typing, as a signal.
import { computed, type ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { ChatLine } from '../contract/objects.ts'
import { useView } from '../link/link.ts'
import { typingText } from './typing-text.ts'

/** Changes only with the line itself: the typing of other chats draws nothing here. */
export function useTypingText({ id, type }: Pick<ChatLine, 'id' | 'type'>): ReadonlySignal<string | undefined> {
  const typing = useView('typing')
  return useMemo(() => computed(() => typingText(typing.value?.[id] ?? [], type)), [typing, id, type])
}
