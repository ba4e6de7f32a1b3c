// Backups under full traffic: the longest wait of a send while a gateway, and then its relay, is backed up.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startRing, stopRing } from '../echo/ring.ts'
import { median } from '../figures.ts'
import { fillDirectory } from '../filled/bots.ts'
import { inScratch } from '../scratch.ts'
import { post, type Target } from '../sends/post.ts'
import type { Row } from '../table.ts'

const LAUNCHER = join(import.meta.dirname, '../../../packages/cli/bin/postern.mjs')
const ROUNDS = 5
const PEOPLE = 4
const CONNECTIONS = 8
/** Stored by the gateway before, so that its copy takes a while. */
const FILLED_ROWS = 100_000
const ROW_CHARS = 1900
/** For the first round; then as long as the last backup took, because a longer time has a longer maximum. */
const QUIET_MS = 3000

type Longest = { without: number[]; gateway: number[]; relay: number[] }

export const measureBackup = (): Promise<Row[]> =>
  inScratch(async directory => {
    const ring = await startRing(directory, { people: PEOPLE })
    const chats = ring.people.map(person => person.state.chat)
    await Promise.all([ring.bot, ...ring.people, ring.gateway].map(child => child.stop()))
    fill(join(directory, 'gateway'))
    const gateway = await ring.startGateway(Number(new URL(ring.api.url).port))
    await gateway.ask('online')
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const longest: Longest = { without: [], gateway: [], relay: [] }
    const tookMs: number[] = []
    const sends = new Sends({ ...ring.api, chats, agent })
    const working = sends.work()
    for (let round = 0; round < ROUNDS; round++) {
      longest.without.push(await sends.longestMs(() => pause(tookMs.at(-1) ?? QUIET_MS)))
      const startedMs = performance.now()
      longest.gateway.push(await sends.longestMs(() => backUp(directory, { part: 'gateway', round })))
      tookMs.push(performance.now() - startedMs)
      longest.relay.push(await sends.longestMs(() => backUp(directory, { part: 'relay', round })))
    }
    sends.end()
    await working
    agent.destroy()
    await stopRing({ ...ring, gateway })
    const bytes = statSync(join(directory, 'gateway-0.tar')).size
    return rowsOf(longest, bytes / 1e6 / (median(tookMs) / 1000))
  })

/** Texts one after the other on each connection, for as long as it lasts. A refused send ends the measurement. */
class Sends {
  readonly #target: Target
  #longestMs = 0
  #isOver = false

  constructor(target: Target) {
    this.#target = target
  }

  async work(): Promise<void> {
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => this.#sendOn(at)))
  }

  end(): void {
    this.#isOver = true
  }

  async longestMs(beside: () => Promise<unknown>): Promise<number> {
    this.#longestMs = 0
    await beside()
    return this.#longestMs
  }

  async #sendOn(at: number): Promise<void> {
    for (let count = at; !this.#isOver; count++) {
      const startedMs = performance.now()
      await post(this.#target, count)
      this.#longestMs = Math.max(this.#longestMs, performance.now() - startedMs)
    }
  }
}

function fill(directory: string): void {
  fillDirectory(directory, database => {
    const value = 'x'.repeat(ROW_CHARS)
    for (let at = 0; at < FILLED_ROWS; at++)
      database.run('INSERT INTO record (shelf, key, value) VALUES (?, ?, ?)', 'bench', String(at), value)
  })
}

type Backup = { part: 'gateway' | 'relay'; round: number }

async function backUp(directory: string, { part, round }: Backup): Promise<void> {
  const to = join(directory, `${part}-${round}.tar`)
  const child = spawn(process.execPath, [LAUNCHER, 'backup', '--data', join(directory, part), '--to', to, '--plain'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`the backup of the ${part} ended with ${code}`)
}

function rowsOf({ without, gateway, relay }: Longest, mbPerSec: number): Row[] {
  const peer = { what: 'without a backup', figure: median(without), better: 'less' } as const
  return [
    { what: 'longest send beside a backup of the gateway', ours: median(gateway), unit: 'ms', peer },
    { what: 'longest send beside a backup of the relay', ours: median(relay), unit: 'ms', peer },
    { what: 'backup of a gateway of 200 MB, beside sends', ours: mbPerSec, unit: 'MB/s' },
  ]
}
