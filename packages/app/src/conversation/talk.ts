// The state that the rows, the header and the field of one open conversation share.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ChatDetail, Message, OutgoingMessage, Person, PressState } from '../contract/objects.ts'
import { withPending } from './pending.ts'
import { ComposerState } from './writing/composer-state.ts'

/** The target: a message, whose time may be unknown, or the end. */
export type Jump = { to: 'end' } | { to: 'message'; id: string; ts?: number }

export type Talk = {
  chat: ReadonlySignal<ChatDetail>
  me: string
  isGroup: boolean
  /** From a stranger, and not accepted yet. */
  isRequest: ReadonlySignal<boolean>
  /** Accounts of present members that are bots. */
  bots: ReadonlySignal<ReadonlySet<string>>
  presses: ReadonlySignal<Record<string, PressState> | undefined>
  connection: ReadonlySignal<'online' | 'connecting' | undefined>
  /** Messages on their way out; undefined until they are known. */
  outgoing: ReadonlySignal<OutgoingMessage[] | undefined>
  /** Those of them that the core has not answered yet. */
  pending: Signal<readonly OutgoingMessage[]>
  /** The messages in the window or quoted there, by id. */
  messages: Signal<ReadonlyMap<string, Message>>
  compose: ComposerState
  /** The row that the arrows have reached. */
  activeRow: Signal<string | undefined>
  /** The row under the pointer. */
  hoveredRow: Signal<string | undefined>
  /** A row that was jumped to, highlighted for a moment. */
  litRow: Signal<string | undefined>
  jump: Signal<Jump | undefined>
  /** The selected messages by id; undefined while nothing is being selected. */
  selection: Signal<ReadonlyMap<string, Message> | undefined>
  /** How often something was sent from here. */
  sent: Signal<number>
}

type TalkParts = Pick<Talk, 'chat' | 'me' | 'presses' | 'connection'> & {
  queued: ReadonlySignal<OutgoingMessage[] | undefined>
}

export function talkOf({ chat, me, presses, connection, queued }: TalkParts): Talk {
  // Compared by its text: a chat changes with every message, but its bots rarely do, and every row uses them.
  const botIds = computed(() => botsOf(chat.value).join(' '))
  const messages = signal<ReadonlyMap<string, Message>>(new Map())
  const pending = signal<readonly OutgoingMessage[]>([])
  return {
    chat,
    me,
    presses,
    connection,
    pending,
    outgoing: computed(() => queued.value && withPending(queued.value, pending.value)),
    isGroup: chat.peek().type === 'group',
    isRequest: computed(() => chat.value.state === 'request'),
    bots: computed(() => new Set(botIds.value.split(' ').filter(Boolean))),
    messages,
    compose: new ComposerState(chat.peek().draft, messages),
    activeRow: signal<string | undefined>(undefined),
    hoveredRow: signal<string | undefined>(undefined),
    litRow: signal<string | undefined>(undefined),
    jump: signal<Jump | undefined>(undefined),
    selection: signal<ReadonlyMap<string, Message> | undefined>(undefined),
    sent: signal(0),
  }
}

const botsOf = ({ members, groupBots, bot, id }: ChatDetail): string[] => [
  ...members.filter(member => member.bot).map(member => member.id),
  ...groupBots.map(one => one.id),
  ...(bot ? [id] : []),
]

export const TalkContext = createContext<Talk | undefined>(undefined)

export function useTalk(): Talk {
  const talk = useContext(TalkContext)
  if (!talk) throw new Error('a part of a conversation stands outside of one')
  return talk
}

/** A tap that opens a chat is for reading: the keyboard would cover half of it. */
export function returnToField({ compose }: Talk): void {
  if (matchMedia('(hover: hover) and (pointer: fine)').matches) compose.wantsFocus.value++
}

/** Selecting ends with the last message. */
export function toggleSelected({ selection }: Talk, message: Message): void {
  const selected = new Map(selection.peek())
  if (!selected.delete(message.id)) selected.set(message.id, message)
  selection.value = selected.size > 0 ? selected : undefined
}

/** The account's own statement, while it is a member; a message has it for former members. */
export const isBot = (talk: Talk, person: Person & { bot?: boolean | undefined }): boolean =>
  person.bot ?? talk.bots.value.has(person.id)
