// A person in a separate process: a full client that writes to the bot and waits for answers.
import { setTimeout as wait } from 'node:timers/promises'
import { openNodeClient } from '@postern/core/node'
import { type ChatId, isCoded, type MessageId } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { serveParent, settingsFromParent } from './parent.ts'
import { followJournal } from './person-journal.ts'
import { RoundTrips, type Wanted } from './round-trips.ts'
import { TimedTrips, type Trip, WHEN } from './timed-trips.ts'

export type PersonSettings = {
  directory: string
  relayUrl: string
  invite: string
  /** `toasts`: also the answers to their presses, not only messages of others. */
  told?: 'toasts'
}
/** The chat that the bot has with this person. */
export type PersonState = { chat: string }
/** Without a group: in the chat with the bot. */
export type Saying = { count: number; group?: string }
/** `last`: the option of the last vote, which distinguishes it from all earlier ones. */
export type Voting = { count: number; group: string; message: string; last: number }
export type Pressing = Wanted & { message: string; data: string }

const WITHIN = { timeoutMs: 30_000 }

const { directory, relayUrl, invite, told } = settingsFromParent<PersonSettings>()
const client = await openNodeClient({
  directory,
  acceptRequests: 'all',
  reportsAll: told === 'toasts',
  firstStart: () => ({ relayUrl, name: 'Person', bot: false }),
})
client.start()
await client.whenOnline(WITHIN)
const bot = (await client.chats.open(parseInvite(invite), WITHIN)).id
const onEvent = followJournal(client)
const onText = (listener: (text: string) => void) =>
  onEvent(event => {
    if (event.type === 'message' && event.message.text !== undefined) listener(event.message.text)
  })

const trips = new RoundTrips({ send: text => client.messages.sendText(bot, { text }, WITHIN), onText })

const timedTexts = new TimedTrips(listener =>
  onText(text => {
    const end = text.lastIndexOf(' ')
    if (text.startsWith(WHEN)) listener(text.slice(0, end), Number(text.slice(end)))
  }),
)
const timedPresses = new TimedTrips(listener =>
  onEvent(event => {
    if (event.type === 'toast') listener(event.toast.press_id, Number(event.toast.text))
  }),
)

/** A message that the bot has just sent may not have arrived yet. */
async function arrived(chat: ChatId, message?: MessageId): Promise<void> {
  for (;;)
    try {
      return void (message === undefined ? client.chats.get(chat) : client.messages.get(chat, message))
    } catch (error) {
      if (!isCoded(error, 'chat-not-found', 'message-not-found')) throw error
      await wait(10)
    }
}

/** One after the other. */
async function say({ count, group }: Saying): Promise<void> {
  const chat = (group ?? bot) as ChatId
  await arrived(chat)
  for (let at = 0; at < count; at++)
    await client.messages.sendText(
      chat,
      { text: `number ${at}: a text of about a hundred bytes, as people write them` },
      WITHIN,
    )
}

/** One after the other, each for another option than the one before. */
async function vote({ count, group, message, last }: Voting): Promise<void> {
  const [chat, poll] = [group as ChatId, message as MessageId]
  await arrived(chat, poll)
  for (let at = 1; at <= count; at++) {
    const options = [at === count ? last : at % 2]
    await client.messages.vote(chat, { message: poll, options }, WITHIN)
  }
}

let questions = 0
async function ask(): Promise<string> {
  const text = `${WHEN} ${++questions}: a text of about a hundred bytes, as people write them to a bot every day`
  await client.messages.sendText(bot, { text }, WITHIN)
  return text
}

async function press({ message, data, ...wanted }: Pressing): Promise<Trip[]> {
  const pressed = { message: message as MessageId, data }
  await arrived(bot, pressed.message)
  return await timedPresses.run(wanted, () => client.messages.press(bot, pressed, WITHIN))
}

/** To the last byte; returns the time that it took. */
async function readFile(message: MessageId): Promise<number> {
  await arrived(bot, message)
  const startedMs = performance.now()
  const { size, read } = await client.files.open(bot, message, WITHIN)
  let bytes = 0
  for await (const part of read()) bytes += part.length
  if (bytes !== size) throw new Error(`${bytes} of ${size} bytes came`)
  return performance.now() - startedMs
}

serveParent({
  state: { chat: client.account } satisfies PersonState,
  answers: {
    echo: (wanted: Wanted) => trips.run(wanted),
    timeTexts: (wanted: Wanted) => timedTexts.run(wanted, ask),
    press,
    say,
    vote,
    readFile,
  },
  stop: () => client.stop(),
})
