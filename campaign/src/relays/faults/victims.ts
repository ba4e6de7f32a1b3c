// The targets of faults, and the receiver of their findings.
import type { PostgresCluster } from '@postern/testkit/postgres-cluster'
import type { Finding } from '../../chaos/check/finding.ts'
import type { Disk } from '../../chaos/parts/disk.ts'
import type { TcpLink } from '../../chaos/wire/tcp-link.ts'
import type { Crowd } from '../traffic/crowd.ts'
import type { Uploads } from '../traffic/uploads.ts'
import type { MortalRelay } from './mortal-relay.ts'

export type Victims = {
  relays: readonly MortalRelay[]
  cluster: PostgresCluster
  /** Those of its servers, in the same order. */
  disks: readonly Disk[]
  /** Its address, which names all servers. */
  database: string
  crowd: Crowd
  /** The connection of all relays to the store of blobs. */
  blobsWay: TcpLink
  uploads: Uploads
  /** The time after a fault within which everybody is in again and every part works. */
  backWithinMs: number
  report: (finding: Finding) => void
}

export const databaseName = (address: string): string => /\/([^/?]+)\?/.exec(address)?.[1] ?? ''
