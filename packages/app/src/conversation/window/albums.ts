// Which messages form an album: photos and videos that one person sent together, one after the other.
import { contentLimits } from '@postern/protocol'
import { type HistoryLine, hintsOf, type Message } from '../../contract/objects.ts'

/** A line of the conversation, or the messages of an album. */
export type AlbumFold = { row: HistoryLine; rest: Message[] }

/**
 * The id is the sender's statement: an id of somebody else, one that comes back after another line, and an eleventh
 * file show a separate bubble. So does a file with words, a quote or buttons of its own, which an album has no place
 * for. `splits` are the indexes of rows that must begin a bubble.
 */
export function foldAlbums(rows: readonly HistoryLine[], splits: (at: number) => boolean): AlbumFold[] {
  const folds: AlbumFold[] = []
  for (const [at, row] of rows.entries()) {
    const open = folds.at(-1)
    if (open && row.kind === 'message' && !splits(at) && joins(open, row.message)) open.rest.push(row.message)
    else folds.push({ row, rest: [] })
  }
  return folds
}

function joins({ row, rest }: AlbumFold, next: Message): boolean {
  if (row.kind !== 'message' || rest.length + 1 >= contentLimits.albumFilesMax) return false
  const { message: first } = row
  const { album } = hintsOf(first.file)
  return (
    album !== undefined &&
    album === hintsOf(next.file).album &&
    first.from.id === next.from.id &&
    isSeen(first) &&
    isSeen(next) &&
    !first.buttons &&
    !hasWords(next)
  )
}

const isSeen = ({ file }: Message): boolean => file?.kind === 'photo' || file?.kind === 'video'

const hasWords = ({ text, reply_to, buttons }: Message): boolean =>
  Boolean(text) || reply_to !== undefined || buttons !== undefined
