// Idle connections at a relay on PostgreSQL: the memory of each, compared with one on SQLite.
import { join } from 'node:path'
import type { PostgresServer } from '@postern/testkit/postgres'
import { connectionCount, measureHeld } from '../connections/connections.ts'
import { Child } from '../processes/child.ts'
import type { RelaySettings } from '../processes/relay.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

export const idleRows = (server: PostgresServer): Promise<Row[]> =>
  inScratch(async directory => {
    const crowd = { kind: 'relay' as const, count: connectionCount() }
    const start = (settings: RelaySettings) =>
      Child.start<{ url: string }>(new URL('../processes/relay.ts', import.meta.url), settings)
    const database = await server.createDatabase()
    const ours = await measureHeld(crowd, () => start({ directory: join(directory, 'shared'), database }))
    const peer = await measureHeld(crowd, () => start({ directory: join(directory, 'sqlite') }))
    const row = (what: string, unit: string, of: keyof typeof ours): Row => ({
      what: `${what}, ${crowd.count} idle connections, PostgreSQL`,
      ours: ours[of],
      unit,
      peer: { what: 'SQLite', figure: peer[of], better: 'less' },
    })
    return [
      row('memory of one', 'bytes', 'bytesEach'),
      row('RSS of relay', 'MiB', 'rssMib'),
      row('CPU of relay a minute', 'ms', 'cpuMsPerMinute'),
    ]
  })
