// A person in a process of its own: a full client that writes to the bot and waits for the echo.
import { setTimeout as wait } from 'node:timers/promises'
import type { JournalEvent } from '@postern/core'
import { openNodeClient } from '@postern/core/node'
import { type ChatId, CodedError } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { serveParent, settingsFromParent } from './parent.ts'
import { RoundTrips, type Wanted } from './round-trips.ts'

export type PersonSettings = { directory: string; relayUrl: string; invite: string }
/** The chat that the bot has with this person. */
export type PersonState = { chat: string }
/** Without a group: in the chat with the bot. */
export type Saying = { count: number; group?: string }

const WITHIN = { deadlineMs: 30_000 }
const PAGE = 1000

const { directory, relayUrl, invite } = settingsFromParent<PersonSettings>()
const client = await openNodeClient({
  directory,
  acceptRequests: 'all',
  firstStart: () => ({ relayUrl, name: 'Person', bot: false }),
})
client.start()
await client.whenOnline(WITHIN)
const bot = await client.openChat(parseInvite(invite), WITHIN)

const trips = new RoundTrips({
  send: text => client.sendText(bot.id as ChatId, { text }, WITHIN),
  onText: listener => {
    let seen = 0
    client.journal.onAppend(() => {
      for (const { id, json } of client.journal.read(seen, PAGE)) {
        seen = id
        const event = JSON.parse(json) as JournalEvent
        if (event.type === 'notice' && event.notice.code === 'undecryptable') throw new CodedError('internal')
        if (event.type === 'message' && event.message.text !== undefined) listener(event.message.text)
      }
    })
  },
})
/** One after the other. A group that the bot has just made may still be on its way. */
async function say({ count, group }: Saying): Promise<void> {
  const chat = (group ?? bot.id) as ChatId
  while (!client.chats().some(({ id }) => id === chat)) await wait(10)
  for (let at = 0; at < count; at++)
    await client.sendText(chat, { text: `number ${at}: a text of about a hundred bytes, as people write them` }, WITHIN)
}

serveParent({
  state: { chat: client.account } satisfies PersonState,
  answers: { echo: (wanted: Wanted) => trips.run(wanted), say },
  stop: () => client.stop(),
})
