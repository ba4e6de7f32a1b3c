// Sends a file of this machine into a chat: with its type by its bytes, and a preview if it is a photo.
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { formattedWords } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client, FileDraft } from '@postern/core'
import { showFile } from '@postern/media'
import { CodedError, contentLimits, personLimits, safeFileName, unlessAborted } from '@postern/protocol'
import type { FieldsOf } from './command-fields.ts'
import { openToRead } from './open-to-read.ts'
import { fileFault } from './path-faults.ts'

const within = { timeoutMs: personLimits.commandWithinMs }

export async function sendLocalFile(
  client: Client,
  { chat, path, caption, kind, reply_to, silent, mentions, format, entities }: FieldsOf<'file'>,
  stop: AbortSignal,
): Promise<Message> {
  const draft = await readDraft(client, { chat, path }, stop)
  try {
    const name = safeFileName(basename(path))
    const shown = await showFile(draft, { name, kind })
    const file = {
      draft,
      name,
      ...shown,
      ...(caption && formattedWords({ text: caption, mentions, format, entities })),
      ...(reply_to && { replyTo: reply_to }),
      ...(silent && { silent }),
    }
    return await unlessAborted(client.files.send(chat, file, within), stop)
  } finally {
    await draft.discard()
  }
}

type Wanted = Pick<FieldsOf<'file'>, 'chat' | 'path'>

export async function readDraft(client: Client, { chat, path }: Wanted, stop: AbortSignal): Promise<FileDraft> {
  const handle = await openToRead(path)
  try {
    const { size } = await handle.stat()
    if (size > contentLimits.fileBytesMax)
      throw new CodedError('too-large', { what: 'The file', max: contentLimits.fileBytesMax })
    // For some files the system does not know the size before they are read.
    const hint = size > 0 ? { bytesHint: size } : {}
    return await client.files.draft(bytesOf(handle, { size: size || Infinity, stop }), { to: chat, ...hint })
  } finally {
    await handle.close()
  }
}

type Reading = { size: number; stop: AbortSignal }

/**
 * As long as it was when it was opened: a file that another process keeps writing to would never end. Each piece is
 * valid only until the next one is requested.
 */
async function* bytesOf(handle: FileHandle, { size, stop }: Reading): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(personLimits.fileReadBytes)
  for (let left = size; left > 0; ) {
    if (stop.aborted) throw new CodedError('stopping')
    const { bytesRead } = await handle
      .read(buffer, 0, Math.min(personLimits.fileReadBytes, left))
      .catch((error: unknown) => {
        throw fileFault(error, 'read')
      })
    if (bytesRead === 0) return
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
