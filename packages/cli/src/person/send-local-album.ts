// Sends files of this machine as one album: none is sent before all of them were read.
import { basename } from 'node:path'
import { formattedWords } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client, NewFile } from '@postern/core'
import { showFile } from '@postern/media'
import { personLimits, safeFileName, unlessAborted } from '@postern/protocol'
import type { FieldsOf } from './command-fields.ts'
import { readDraft } from './send-local-file.ts'

const within = { timeoutMs: personLimits.commandWithinMs }

export async function sendLocalAlbum(
  client: Client,
  { chat, paths, caption, reply_to, silent, mentions, format, entities }: FieldsOf<'album'>,
  stop: AbortSignal,
): Promise<Message[]> {
  const files: NewFile[] = []
  try {
    for (const path of paths) {
      const draft = await readDraft(client, { chat, path }, stop)
      const name = safeFileName(basename(path))
      // Before it is shown: a draft is discarded even if that fails.
      files.push({ draft, name, type: 'application/octet-stream', kind: 'file' })
    }
    const shown = await Promise.all(
      files.map(async file => ({ ...file, ...(await showFile(file.draft, { name: file.name })) })),
    )
    return await unlessAborted(client.files.sendAlbum(chat, shown.map(withWords), within), stop)
  } finally {
    for (const { draft } of files) await draft.discard()
  }

  function withWords(file: NewFile, at: number): NewFile {
    return {
      ...file,
      ...(silent && { silent }),
      ...(at === 0 && caption && formattedWords({ text: caption, mentions, format, entities })),
      ...(at === 0 && reply_to && { replyTo: reply_to }),
    }
  }
}
