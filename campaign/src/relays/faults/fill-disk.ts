// The disk of the primary is full: the server refuses writes, or ends when there is no space for its own log.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PostgresCluster } from '@postern/testkit/postgres-cluster'
import { Disk } from '../../chaos/parts/disk.ts'
import { relayTraffic } from '../traffic/pace.ts'
import type { RelayFault } from './schedule.ts'
import type { Victims } from './victims.ts'

const ROOMY_BYTES = 2 ** 31
/** The server runs as another user, who may enter, but not list. */
const ENTERED = 0o711

export async function startOnDisks(): Promise<Pick<Victims, 'cluster' | 'disks'>> {
  const disks: Disk[] = []
  const folderOf = (): string => {
    // Short: the address of a Unix socket has to fit into 107 bytes.
    const disk = Disk.at(mkdtempSync(join(tmpdir(), 'disk-')), ROOMY_BYTES)
    disks.push(disk)
    chmodSync(disk.directory, ENTERED)
    return disk.directory
  }
  try {
    return { cluster: await PostgresCluster.start(folderOf), disks }
  } catch (error) {
    removeDisks(disks)
    throw error
  }
}

export function removeDisks(disks: readonly Disk[]): void {
  for (const disk of disks) {
    disk.remove({ keep: false })
    rmSync(disk.directory, { recursive: true, force: true })
  }
}

/** False where no disk can be mounted. */
export async function fillDisk(
  { leftBytes, forMs }: Extract<RelayFault, { kind: 'disk-full' }>,
  { cluster, disks }: Victims,
): Promise<boolean> {
  const server = cluster.primary
  const disk = disks[cluster.servers.indexOf(server)]
  if (disk?.kind !== 'tmpfs') return false
  disk.fill(leftBytes)
  await pause(forMs)
  disk.free()
  // As a supervisor does: a server that could not recover without space has ended.
  const isUp = () => server.sql('SELECT 1').catch(() => undefined)
  while ((await isUp()) === undefined) {
    if (!server.isRunning) await server.start().catch(() => undefined)
    await pause(relayTraffic.tryAgainMs)
  }
  return true
}
