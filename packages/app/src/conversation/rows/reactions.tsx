// Chips below a message: the reactions and their authors. A press adds the same one, or withdraws the person's own.
import type { VNode } from 'preact'
import type { Message } from '../../contract/objects.ts'
import { call } from '../../link/link.ts'
import { attempt, begin } from '../../parts/attempt.ts'
import { type Talk, useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import { type Chip, chipsOf, reactionAfter } from './reaction-chips.ts'
import './reactions.css'

export const react = (talk: Talk, message: Message, chosen: string): Promise<unknown> =>
  attempt(
    call('react', {
      chat: message.chat_id,
      message: message.id,
      emoji: reactionAfter(message.reactions, talk.me, chosen),
    }),
  )

export function Reactions({ message }: { message: Message }): VNode | null {
  const talk = useTalk()
  const chips = chipsOf(message.reactions, talk.me)
  if (chips.length === 0) return null
  return (
    <div class="reactions">
      {chips.map(chip => (
        <ReactionChip key={chip.emoji} chip={chip} onPress={() => begin(react(talk, message, chip.emoji))} />
      ))}
    </div>
  )
}

function ReactionChip({ chip, onPress }: { chip: Chip; onPress: () => void }): VNode {
  const talk = useTalk()
  const w = conversationWords.value
  const names = chip.people.map(({ id, name }) => (id === talk.me ? w.you : name)).join(', ')
  const label = `${chip.emoji} ${chip.people.length}: ${names}`
  return (
    <button
      class={chip.isMine ? 'reaction reaction-mine' : 'reaction'}
      type="button"
      aria-pressed={chip.isMine}
      aria-label={label}
      title={label}
      onClick={onPress}
    >
      <span class="reaction-emoji">{chip.emoji}</span>
      <span class="reaction-count">{chip.people.length}</span>
    </button>
  )
}
