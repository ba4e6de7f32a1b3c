// A message with a file: its description. The bytes are at the relay by then.
import type { FileInfo } from '@postern/bot-api/objects'
import { contentLimits, fittingEntities, safeFileName, toBase64Url } from '@postern/protocol'
import type { FileBody } from '@postern/protocol/content'
import { noteFileSent } from '../files/file-records.ts'
import type { StoredFile } from '../files/files.ts'
import { filesInAlbum } from '../messages/albums.ts'
import type { Database } from '../storage/database.ts'
import { assertButtons } from './buttons.ts'
import type { ContentEventOf } from './content-event.ts'
import type { Kind } from './kind.ts'
import { applyMessage } from './new-message.ts'
import { assertSpans, assertText, viewWords } from './text-rules.ts'

/** The fields that the upload provides. */
type Stored = 'blob' | 'key' | 'digest' | 'size'

/** The description of a file; `text` is the caption. */
export type FileWords = Omit<FileBody, 'kind' | 'shownAs' | 'timerMs' | Stored> & {
  kind: FileBody['shownAs']
}

export const file = {
  way: 'in the chat',
  check: (core, _chat, { text, mentions, entities, buttons }: FileWords) => {
    if (text !== undefined) assertText(text, 'caption')
    assertSpans(text ?? '', { mentions, entities })
    assertButtons(core, buttons ?? [])
  },
  body: (_core, _chat, { stored, ...words }) => fileBody(words, stored),
  apply: (core, database, said) => {
    const outcome = applyMessage(core, database, withoutFullAlbum(database, said))
    if (outcome.kind === 'applied' && said.sender === core.own.id) noteFileSent(database, said.body.blob)
    return outcome
  },
  view: ({ forScreen }, { sender }, body) => ({
    ...viewWords(body),
    // With the sender: a bot that compares ids alone mixes nothing of another member into an album.
    ...(body.album !== undefined && { album: `${body.album}.${sender}` }),
    file: forScreen ? { ...viewFile(body), ...hintsOf(body) } : viewFile(body),
  }),
} satisfies Kind<'file', FileWords & { stored: StoredFile }>

/** The id is the sender's statement: a modified client could give it to a thousand files, and bots collect albums. */
function withoutFullAlbum(database: Database, said: ContentEventOf<'file'>): ContentEventOf<'file'> {
  const { album, ...body } = said.body
  const { albumFilesMax } = contentLimits
  if (album === undefined) return said
  const isFull = filesInAlbum(database, { chat: said.chat.id, sender: said.sender, album }) >= albumFilesMax
  return isFull ? { ...said, body } : said
}

function fileBody(words: FileWords, stored: StoredFile): FileBody {
  const { name, type, kind, width, height, durationMs, preview, album, wave, text, ...rest } = words
  const { mentions, entities, buttons, replyTo, silent, forwarded, ...others } = rest
  // A field of a new message that is not passed on does not compile.
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
    ...(album !== undefined && { album }),
    ...(wave !== undefined && { wave }),
    ...(text !== undefined && { text }),
    ...(mentions && { mentions }),
    ...(entities && entities.length > 0 && { entities: fittingEntities(text ?? '', entities) }),
    ...(buttons && buttons.length > 0 && { buttons }),
    ...(replyTo && { replyTo }),
    ...(silent && { silent }),
    ...(forwarded && { forwarded }),
  }
}

/** A screen shows these in addition to the bot API: `album` groups files, `wave` draws a voice message. */
const hintsOf = ({ album, wave }: FileBody) => ({
  ...(album !== undefined && { album }),
  ...(wave !== undefined && { wave }),
})

export const viewFile = (body: FileBody): FileInfo => ({
  // A program that saves the file under its name must not be led elsewhere.
  name: safeFileName(body.name),
  size: body.size,
  type: body.type,
  kind: body.shownAs,
  ...(body.width !== undefined && { width: body.width }),
  ...(body.height !== undefined && { height: body.height }),
  ...(body.durationMs !== undefined && { duration_ms: body.durationMs }),
  ...(body.preview !== undefined && body.shownAs === 'photo' && { preview: body.preview }),
})
