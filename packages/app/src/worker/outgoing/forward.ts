// Forwards messages to other chats: as new messages of this person, in order. A file is sealed under a new key and
// uploaded again: the same blob in two chats would tell the relay that they belong together, and it may expire earlier.
import type { Client } from '@postern/core'
import { appLimits, type ChatId, type MessageId } from '@postern/protocol'
import { AppError } from '../app-error.ts'
import type { NewOutgoing, OutgoingQueue } from './outgoing.ts'
import { outgoingFile } from './outgoing-row.ts'

type Forwarding = { chat: ChatId; messages: MessageId[]; to: ChatId[]; key: string }
type ForwardedBody = Pick<NewOutgoing, 'body' | 'bytes'>

const WITHIN = { timeoutMs: appLimits.callTimeoutMs }

/** Nothing is queued before every file is here. A repeat under the same key queues nothing twice. */
export async function forwardMessages(
  { client, outgoing }: { client: Client; outgoing: OutgoingQueue },
  { chat, messages, to, key }: Forwarding,
): Promise<void> {
  if (messages.length > appLimits.forwardedMax) throw new AppError('call-malformed', { field: 'messages' })
  if (to.length > appLimits.forwardedToMax) throw new AppError('call-malformed', { field: 'to' })
  for (const target of to) client.chats.get(target)
  const inOrder = messages.map(id => client.messages.get(chat, id)).toSorted((one, other) => one.ts - other.ts)
  const bodies: ForwardedBody[] = []
  for (const message of inOrder) bodies.push(await forwardedBody(client, message))
  for (const [toAt, target] of to.entries())
    for (const [at, { body, bytes }] of bodies.entries())
      await outgoing.add({ key: `${key}-${toAt}-${at}`, chat: target, body, ...(bytes && { bytes }) })
}

/** Words with their formatting and files alone: reactions, buttons, replies and mentions belong to the chat and its people. */
async function forwardedBody(client: Client, message: ReturnType<Client['messages']['get']>): Promise<ForwardedBody> {
  const { id, chat_id: chat, text, entities, file, poll } = message
  if (poll || (text === undefined && !file)) throw new AppError('call-malformed', { field: 'messages' })
  const words = { ...(entities && { entities }), forwarded: true }
  if (!file) return { body: { kind: 'text', text: text ?? '', ...words } }
  const opened = await client.files.open(chat, id, WITHIN)
  const described = outgoingFile(file, 'file')
  const body = { kind: 'file', file: described, ...(text !== undefined && { text }), ...words } as const
  return { body, bytes: { size: file.size, read: () => opened.read() } }
}
