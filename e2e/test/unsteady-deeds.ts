// Actions on messages over unreliable wires: votes, presses and their answers, files, deletions, timers, reading.
import { isCoded, type MessageId, type PressId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import type { SeededRandom } from '@postern/testkit/random'
import { expect } from 'vitest'
import type { Talk, Unsteady } from './unsteady-people.ts'

/** For one chat: a message with a button, a poll that stays open and one that its asker closes. */
export type Matter = { talk: Talk; offer: MessageId; open: MessageId; closing: MessageId; dying: MessageId }

/** Counts presses: those that the relay certainly has, and those that it may have. */
export type Tally = {
  pressed: Set<PressId>
  mayBePressed: number
  answered: Set<PressId>
  gone: Set<string>
  faults: string[]
}

const DEADLINES_MS = [80, 400, 1500, 5000]
const EXPECTED = [
  'send-in-doubt',
  'relay-unreachable',
  'relay-full',
  'stopping',
  'poll-closed',
  'message-not-found',
] as const
const TIMERS_MS = [0, 3_600_000, 7_200_000]

export const newTally = (): Tally => ({
  pressed: new Set(),
  mayBePressed: 0,
  answered: new Set(),
  gone: new Set(),
  faults: [],
})

export async function raise(talk: Talk, bot: Unsteady): Promise<Matter> {
  const { client } = bot.person
  const chat = talk.idFor(bot)
  const buttons = [[{ text: 'Yes', data: 'yes' }]]
  const options = ['a', 'b', 'c']
  const offer = await client.messages.sendText(chat, { text: 'press me', buttons }, WITHIN)
  const open = await client.messages.sendPoll(chat, { question: 'open', options, multiple: true }, WITHIN)
  const closing = await client.messages.sendPoll(chat, { question: 'closing', options, multiple: false }, WITHIN)
  const dying = await client.messages.sendText(chat, { text: 'to be deleted' }, WITHIN)
  for (const { person } of talk.people.filter(one => one !== bot)) {
    await person.hears('to be deleted')
    await expect.poll(() => person.client.identity.profileOf(bot.person.id).bot).toBe(true)
  }
  const [offerId, openId, closingId, dyingId] = [offer, open, closing, dying].map(({ id }) => id)
  return { talk, offer: offerId, open: openId, closing: closingId, dying: dyingId } as Matter
}

type Doing = { matter: Matter; one: Unsteady; tally: Tally }

/** One random action, by anybody in the chat; only the wire may make it fail. */
export async function doSomething({ matter, one, tally }: Doing, random: SeededRandom): Promise<void> {
  const { client } = one.person
  const chat = matter.talk.idFor(one)
  const within = { timeoutMs: random.of(DEADLINES_MS) }
  const message = random.below(2) ? matter.open : matter.closing
  const deeds = [
    () => client.messages.vote(chat, { message, options: random.below(4) ? [random.below(3)] : [] }, within),
    () => client.chats.setTimer(chat, random.of(TIMERS_MS), within),
    () => client.messages.markRead(chat),
    () => sendFile(one.person, chat, `file ${random.below(1_000_000)}`),
  ]
  const isBot = client.identity.me().name === 'alice'
  const more = isBot
    ? [
        () => client.messages.closePoll(chat, matter.closing, within),
        () => erase(client, { chat, matter, tally }, within),
      ]
    : [0, 1, 2].map(() => () => press(client, { chat, matter, tally }, within))
  try {
    await random.of<() => Promise<unknown>>([...deeds, ...more])()
  } catch (error) {
    if (!isCoded(error, ...EXPECTED)) tally.faults.push(`${one.person.name}: ${String(error)}`)
  }
}

type Where = { chat: ReturnType<Talk['idFor']>; matter: Matter; tally: Tally }

async function press(
  client: TestPerson['client'],
  { chat, matter, tally }: Where,
  within: typeof WITHIN,
): Promise<void> {
  try {
    tally.pressed.add(await client.messages.press(chat, { message: matter.offer, data: 'yes' }, within))
  } catch (error) {
    if (!isCoded(error, 'relay-unreachable', 'relay-full')) tally.mayBePressed++
    throw error
  }
}

async function erase(
  client: TestPerson['client'],
  { chat, matter, tally }: Where,
  within: typeof WITHIN,
): Promise<void> {
  await client.messages.delete(chat, { message: matter.dying, for: 'all' }, within)
  tally.gone.add(matter.dying)
}

async function sendFile({ client }: TestPerson, chat: Where['chat'], name: string): Promise<void> {
  const draft = await client.files.draft(pieces(name))
  const file = { draft, name, type: 'text/plain', kind: 'file' as const, text: name }
  const idempotency = { key: name, request: new TextEncoder().encode(name) }
  try {
    await client.files.send(chat, file, { timeoutMs: 2000, idempotency })
  } finally {
    await draft.discard()
  }
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

type Told = { type: string; button?: { press_id: PressId }; toast?: { press_id: PressId }; message?: { id: string } }

const told = ({ client }: TestPerson): Told[] =>
  client.journal.read(0, 1_000_000).map(({ json }) => JSON.parse(json) as Told)

/** With repeats, by id. */
export const pressesHeard = (bot: TestPerson): PressId[] => told(bot).flatMap(({ button }) => button?.press_id ?? [])
export const toastsSeen = (person: TestPerson): PressId[] => told(person).flatMap(({ toast }) => toast?.press_id ?? [])

export async function answerAll(bot: Unsteady, tally: Tally, random: SeededRandom): Promise<void> {
  const within = { timeoutMs: random.of(DEADLINES_MS) }
  const due = pressesHeard(bot.person).filter(press => !tally.answered.has(press))
  const answers = due.map(async press => {
    await bot.person.client.messages.answerPress(press, 'heard', within)
    tally.answered.add(press)
  })
  for (const { reason } of (await Promise.allSettled(answers)).filter(one => one.status === 'rejected'))
    if (!isCoded(reason, ...EXPECTED, 'press-answered')) tally.faults.push(String(reason))
}

/** The chat as one of its people sees it. */
export function pictureOf({ talk }: Matter, one: Unsteady): string[] {
  const { client } = one.person
  const chat = talk.idFor(one)
  const messages = client.messages.list(chat, { limit: 100_000 }).map(({ id, text, poll, file }) => {
    const tally = poll?.options.map(({ voters }) => voters.map(voter => voter.id))
    return JSON.stringify([id, text, file?.size, poll?.closed, tally])
  })
  return [`timer ${client.chats.get(chat).timer_ms}`, ...messages]
}
