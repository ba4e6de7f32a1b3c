// Previews as an app opens them: with the keys that its core hands out, in the push that a relay makes of an entry.
import { hash } from 'node:crypto'
import { type MessageId, messageIdFromHash, toBase64Url } from '@postern/protocol'
import { type MessagePreview, openPreview, readPush } from '@postern/protocol/preview'
import { readEnvelopeHeader } from '@postern/protocol/relay'
import type { TestPerson } from '@postern/testkit'
import type { SentEntry } from './marked-entries.ts'

type Pushed = { sender: TestPerson; entry: SentEntry; message?: MessageId }

export const messageOf = ({ payload }: SentEntry): MessageId => messageIdFromHash(hash('sha256', payload, 'buffer'))

/** As the relay sends it. */
function pushOf({ sender, entry, message = messageOf(entry) }: Pushed): string {
  const { group } = readEnvelopeHeader(entry.payload)
  const preview = entry.preview && toBase64Url(entry.preview)
  return JSON.stringify({
    v: 1,
    group,
    count: 1,
    attention: entry.attention,
    sender: sender.id,
    message,
    ts: 1,
    preview,
  })
}

/** With keys that cannot be exported, as the app keeps them. */
export async function openedBy(reader: TestPerson, pushed: Pushed): Promise<MessagePreview | undefined> {
  const push = readPush(pushOf(pushed))
  if (!push) throw new Error('the push cannot be read')
  const keys = reader.client.pushes.previewKeys()
  return await openPreview(async (group, epoch) => {
    const found = keys.find(one => one.group === group && one.epoch === epoch)
    return found && (await crypto.subtle.importKey('raw', new Uint8Array(found.key), 'AES-GCM', false, ['decrypt']))
  }, push)
}

/** How many other members want previews, in all chats together, as this person knows. */
export const wishesOf = ({ client }: TestPerson): number =>
  client['core'].store.all('SELECT 1 FROM member WHERE previews = 1').length

/** The epochs of the keys in a chat. */
export const epochsOf = ({ client }: TestPerson, chat: string): number[] =>
  client.pushes
    .previewKeys()
    .filter(key => key.chat === chat)
    .map(({ epoch }) => epoch)
