// What a move is told, whichever way it goes.
import type { Clock } from '@postern/protocol'
import type { PrintLine } from './move-progress.ts'

export type MoveContext = {
  /** The data directory, whose blobs stay where they are. */
  readonly directory: string
  /** Of the PostgreSQL. */
  readonly address: string
  readonly say: PrintLine
  readonly clock: Clock
}
