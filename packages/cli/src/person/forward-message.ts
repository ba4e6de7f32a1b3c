// Forwards a message: a text, or a file under a new key, so that the relay cannot see that it is in two chats.
import type { Message } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { showFile } from '@postern/media'
import { CodedError, personLimits, unlessAborted, untilAborted } from '@postern/protocol'
import type { FieldsOf } from './command-fields.ts'

const within = { timeoutMs: personLimits.commandWithinMs }

export async function forwardMessage(
  client: Client,
  { chat, message, to, silent }: FieldsOf<'forward'>,
  stop: AbortSignal,
): Promise<Message> {
  const { text, entities, file, poll } = client.messages.get(chat, message)
  const marks = { ...(entities && { entities }), ...(silent && { silent }), forwarded: true }
  if (!file) {
    if (text === undefined || poll)
      throw new CodedError('bad-field', { field: 'message', rule: 'must be the id of a text or a file' })
    return await client.messages.sendText(to, { text, ...marks }, within)
  }
  const { name, size, duration_ms: durationMs, width, height } = file
  const { read } = await client.files.open(chat, message, { ...within, signal: stop })
  const draft = await client.files.draft(untilAborted(read(), stop), { to, bytesHint: size })
  try {
    // The bytes decide what is a photo: its sender may have described something else.
    const kind = file.kind === 'photo' ? undefined : file.kind
    const shown = await showFile(draft, { name, declaredType: file.type, kind })
    const measures = {
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
      ...(durationMs !== undefined && { durationMs }),
    }
    const isTimed = shown.kind === 'video' || shown.kind === 'voice'
    const words = { ...(text !== undefined && { text }), ...marks }
    const sent = { draft, name, ...shown, ...(isTimed && measures), ...words }
    return await unlessAborted(client.files.send(to, sent, within), stop)
  } finally {
    await draft.discard()
  }
}
