// Messages and chats in the worker's form for a screen, and a clock for the screens' logic.
import { type AccountId, accountIdFromHash, groupChatId, groupIdFromBytes, messageIdFromHash } from '@postern/protocol'
import type { ManualClock } from '@postern/testkit/clock'
import type { ChatDetail, HistoryLine, Message, Person } from '../src/contract/objects.ts'
import type { ScreenClock } from '../src/conversation/timing.ts'

const bytes = (number: number, length: number): Uint8Array => {
  const all = new Uint8Array(length)
  new DataView(all.buffer).setUint32(0, number)
  return all
}

const account = (number: number): AccountId => accountIdFromHash(bytes(number, 32))

export const alice: Person = { id: account(1), name: 'Alice' }
export const bob: Person = { id: account(2), name: 'Bob' }
export const deploy: Person = { id: account(3), name: 'Deploy' }
export const person = (number: number, name: string): Person => ({ id: account(number), name })

export const NOON = new Date(2030, 0, 15, 12).getTime()
const GROUP = groupChatId(groupIdFromBytes(bytes(1, 16)))

let lastNumber = 0

export function said(from: Person, text: string, more: Partial<Message> = {}): Message {
  const number = ++lastNumber
  return { id: messageIdFromHash(bytes(number, 32)), chat_id: GROUP, from, ts: NOON + number, text, ...more }
}

export const row = (message: Message): HistoryLine => ({ kind: 'message', message })

/** `count` messages of bob, a minute apart. */
export const longTalk = (count: number): HistoryLine[] =>
  Array.from({ length: count }, (_, at) => row(said(bob, `message ${at}`, { ts: NOON + at * 60_000 })))

export const group = (more: Partial<ChatDetail> = {}): ChatDetail => ({
  id: GROUP,
  type: 'group',
  name: 'Garden club',
  state: 'active',
  members: [alice, bob].map(member => ({ ...member, bot: false })),
  timer_ms: 0,
  unread: 0,
  ts: 0,
  muted: false,
  pinned: false,
  archived: false,
  verified: false,
  isEmpty: false,
  groupBots: [],
  ...more,
})

const commands = [
  { name: 'status', description: 'What runs where', args: 'project' },
  { name: 'quiet', description: 'No news until tomorrow' },
]

/** Alice and bob with bots of these names. */
export function groupWithBots(...names: string[]): ChatDetail {
  const bots = names.map((name, at) => ({ ...person(100 + at, name), about: '', commands }))
  const members = [...group().members, ...bots.map(({ id, name }) => ({ id, name, bot: true }))]
  return group({ members, groupBots: bots })
}

export const botChat = (): ChatDetail => group({ type: 'private', bot: { about: '', commands } })

export const timingOf = (clock: ManualClock): ScreenClock => ({
  nowMs: () => clock.monotonicMs(),
  after: (delayMs, run) => {
    const timer = clock.setTimer(delayMs, run)
    return () => timer.cancel()
  },
})
