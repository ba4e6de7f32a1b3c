// A message with a file: what it says of the file, whose bytes are at the relay by then.
import type { FileInfo } from '@postern/bot-api/objects'
import { safeFileName, toBase64Url } from '@postern/protocol'
import type { FileBody } from '@postern/protocol/content'
import { noteFileSent } from '../files/file-records.ts'
import type { StoredFile } from '../files/files.ts'
import type { Kind } from './kind.ts'
import { applyMessage } from './new-message.ts'
import { assertMentions, assertText, viewWords } from './text-rules.ts'

/** What stands in the message because the file is at the relay. */
type Stored = 'blob' | 'key' | 'digest' | 'size'

/** What is said of a file; `text` is the caption. */
export type FileWords = Omit<FileBody, 'kind' | 'shownAs' | 'buttons' | 'timerMs' | Stored> & {
  kind: FileBody['shownAs']
}

export const file = {
  way: 'in the chat',
  check: (_core, _chat, { text, mentions }: FileWords) => {
    if (text !== undefined) assertText(text, 'caption')
    assertMentions(text ?? '', mentions)
  },
  body: (_core, _chat, { stored, ...words }) => fileBody(words, stored),
  apply: (core, database, said) => {
    const outcome = applyMessage(core, database, said)
    if (outcome.kind === 'applied' && said.sender === core.own.id) noteFileSent(database, said.body.blob)
    return outcome
  },
  view: (_around, _row, body) => ({ ...viewWords(body), file: viewFile(body) }),
} satisfies Kind<'file', FileWords & { stored: StoredFile }>

function fileBody(words: FileWords, stored: StoredFile): FileBody {
  const { name, type, kind, width, height, durationMs, preview, text, mentions, replyTo, ...others } = words
  // A field of a new message that is passed on by nobody does not compile.
  others satisfies Record<string, never>
  return {
    kind: 'file',
    blob: stored.blob,
    key: toBase64Url(stored.key),
    digest: toBase64Url(stored.digest),
    size: stored.size,
    name,
    type,
    shownAs: kind,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(durationMs !== undefined && { durationMs }),
    ...(preview !== undefined && { preview }),
    ...(text !== undefined && { text }),
    ...(mentions && { mentions }),
    ...(replyTo && { replyTo }),
  }
}

export const viewFile = (body: FileBody): FileInfo => ({
  // Whoever saves it under its name must not be led elsewhere.
  name: safeFileName(body.name),
  size: body.size,
  type: body.type,
  kind: body.shownAs,
  ...(body.width !== undefined && { width: body.width }),
  ...(body.height !== undefined && { height: body.height }),
  ...(body.durationMs !== undefined && { duration_ms: body.durationMs }),
  ...(body.preview !== undefined && body.shownAs === 'photo' && { preview: body.preview }),
})
