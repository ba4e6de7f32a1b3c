// The parameters of a move, in either direction.
import type { Clock } from '@postern/protocol'
import type { ProgressOutput } from '@postern/protocol/node'

export type MoveContext = {
  /** The data directory. Its blobs stay where they are. */
  readonly directory: string
  /** The address of the PostgreSQL database. */
  readonly address: string
  /** For its progress. */
  readonly output: ProgressOutput
  readonly clock: Clock
}
