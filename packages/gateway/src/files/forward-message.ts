// Forwards or copies a message: a text or a file of one chat is sent into another, or again into the same.
import { formattedWords, type MessageForward } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client, NewFile } from '@postern/core'
import { showFile } from '@postern/media'
import { type ChatId, CodedError, gatewayLimits } from '@postern/protocol'
import { buttonsOf } from '../chats/buttons.ts'
import { idempotencyOf } from '../chats/idempotency.ts'
import type { FileUploads } from './send-file.ts'

export type ForwardContext = { client: Client; uploads: FileUploads }

type MessageToForward = { chat: ChatId; message: MessageForward; key: string | undefined }

const within = { timeoutMs: gatewayLimits.sendWithinMs }

export async function forwardMessage(
  { client, uploads }: ForwardContext,
  { chat, message, key }: MessageToForward,
): Promise<Message> {
  const { idempotency } = idempotencyOf(key, { forward: chat, ...message })
  if (idempotency) {
    // Before the original is looked up: it may be gone by now, and a repetition still finds its outcome.
    const earlier = await client.messages.findSent(chat, { ...within, idempotency })
    if (earlier) return earlier
  }
  const once = { ...within, ...(idempotency && { idempotency }) }
  const { from, copy, caption, reply_to: replyTo, silent, buttons = [] } = message
  const original = client.messages.get(from.chat_id, from.message_id)
  const { text, file } = original
  const options = {
    ...(replyTo && { replyTo }),
    ...(silent && { silent }),
    ...(buttons.length > 0 && { buttons: buttonsOf(buttons) }),
    ...(copy !== true && { forwarded: true }),
  }
  if (file) {
    const words = { ...options, ...captionOf(original, message) }
    return await uploads.takePlace(() => sendAgain(client, { chat, original, file, words, once }))
  }
  // The votes of a poll belong to its chat.
  if (text === undefined || original.poll)
    throw new CodedError('bad-field', { field: 'from.message_id', rule: 'must be the id of a text or a file' })
  if (caption !== undefined)
    throw new CodedError('bad-field', { field: 'caption', rule: 'must not be sent with a text' })
  return await client.messages.sendText(chat, { ...options, ...wordsOf(original) }, once)
}

type Words = Pick<NewFile, 'text' | 'mentions' | 'entities'>

/** Mentions are left out: the people of the other chat need not be known in this one. */
const wordsOf = ({ text = '', entities }: Message) => ({ text, ...(entities && { entities }) })

function captionOf(original: Message, { caption, mentions, format, entities }: MessageForward): Words {
  if (caption === undefined) return original.text === undefined ? {} : wordsOf(original)
  return caption === '' ? {} : formattedWords({ text: caption, mentions, format, entities })
}

type FileAgain = {
  chat: ChatId
  original: Message
  file: NonNullable<Message['file']>
  words: Omit<NewFile, 'draft' | 'name' | 'type' | 'kind'>
  once: Parameters<Client['files']['send']>[2]
}

/**
 * Under a new key and in a new blob. The same blob in two chats would tell the relay that they belong together; it would
 * expire with the older message, and disappear when the older message is deleted.
 */
async function sendAgain(client: Client, { chat, original, file, words, once }: FileAgain): Promise<Message> {
  const { name, size, type: declaredType } = file
  const draft = await client.files.draft(bytesOf(client, original), {
    to: chat,
    bytesHint: size,
    ...(once.idempotency && { idempotencyKey: once.idempotency.key }),
  })
  try {
    // The bytes decide what is a photo: its sender may have described something else.
    const kind = file.kind === 'photo' ? undefined : file.kind
    const shown = await showFile(draft, { name, declaredType, kind })
    const hasSize = shown.kind === 'video' || shown.kind === 'voice'
    const described = { draft, name, ...shown, ...(hasSize && sizeOf(file)), ...words }
    return await client.files.send(chat, described, once)
  } finally {
    await draft.discard()
  }
}

/** The file is fetched when the first byte is wanted, so a chat that cannot be written to costs no transfer. */
async function* bytesOf(client: Client, { chat_id: chat, id }: Message): AsyncGenerator<Uint8Array> {
  const opened = await client.files.open(chat, id, within)
  yield* opened.read()
}

const sizeOf = ({ width, height, duration_ms: durationMs }: NonNullable<Message['file']>) => ({
  ...(width !== undefined && { width }),
  ...(height !== undefined && { height }),
  ...(durationMs !== undefined && { durationMs }),
})
