// What a move is told, whichever way it goes.
import type { Clock } from '@postern/protocol'
import type { Say } from './move-progress.ts'

export type Moving = {
  /** The data directory, whose blobs stay where they are. */
  readonly directory: string
  /** Of the PostgreSQL. */
  readonly address: string
  readonly say: Say
  readonly clock: Clock
}
