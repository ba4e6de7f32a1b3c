// Idle connections at a relay: the memory of each, and the processor time of all.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import type { CrowdSettings } from './crowd.ts'

const WANTED = 10_000
const CROWDS = 4
/** Open files of a process besides its connections. */
const OTHER_FILES = 200
/** A relay pings every connection within this time. */
const RESTING_MS = 35_000
const SETTLE_MS = 2_000

export const measureConnections = (): Promise<Row[]> =>
  inScratch(async directory => {
    const count = connectionCount()
    const bare = await measureHeld({ kind: 'bare', count }, () =>
      Child.start(new URL('../bare/sockets.ts', import.meta.url), {}),
    )
    const ours = await measureHeld({ kind: 'relay', count }, () =>
      Child.start(new URL('../processes/relay.ts', import.meta.url), { directory: join(directory, 'relay') }),
    )
    const peer = { what: 'bare ws server', better: 'less' as const }
    const at = `${count} idle connections`
    return [
      {
        what: `memory of one of ${at}`,
        ours: ours.bytesEach,
        unit: 'bytes',
        peer: { ...peer, figure: bare.bytesEach },
      },
      { what: `RSS of relay, ${at}`, ours: ours.rssMib, unit: 'MiB', peer: { ...peer, figure: bare.rssMib } },
      { what: `CPU of relay, ${at}, a minute`, ours: ours.cpuMsPerMinute, unit: 'ms' },
    ]
  })

/** As many as one process may have. */
export const connectionCount = (): number => Math.min(WANTED, openFilesMax() - OTHER_FILES)

type Held = { bytesEach: number; rssMib: number; cpuMsPerMinute: number }
type Asked = { kind: CrowdSettings['kind']; count: number }

export async function measureHeld({ kind, count }: Asked, start: () => Promise<Child<{ url: string }>>): Promise<Held> {
  const server = await start()
  const crowds = await startCrowds({ url: server.state.url, kind })
  // A few first: the setup costs of the very first connection are not counted for each.
  await crowds[0]?.ask('open', count / 100)
  const emptyMib = await server.ask<number>('settledRssMib')
  await Promise.all(crowds.map(crowd => crowd.ask('open', Math.floor(count / CROWDS))))
  await wait(SETTLE_MS)
  const rssMib = await server.ask<number>('settledRssMib')
  const before = await server.usage()
  if (kind === 'relay') await wait(RESTING_MS)
  const after = await server.usage()
  await Promise.all(crowds.map(crowd => crowd.stop()))
  await server.stop()
  const cpuMsPerMinute = ((after.cpuMs - before.cpuMs) * 60_000) / RESTING_MS
  return { bytesEach: ((rssMib - emptyMib) * 2 ** 20) / count, rssMib, cpuMsPerMinute }
}

const startCrowds = (settings: CrowdSettings): Promise<Child[]> =>
  Promise.all(Array.from({ length: CROWDS }, () => Child.start(new URL('./crowd.ts', import.meta.url), settings)))

/** For one process. Node raises the soft limit to the hard limit. */
function openFilesMax(): number {
  const line = /^Max open files\s+\d+\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return line === undefined || line === 'unlimited' ? Infinity : Number(line)
}
