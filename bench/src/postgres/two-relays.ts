// The echo through two relays on one database, the gateway at one and people at the other, compared with one relay on SQLite.
import { join } from 'node:path'
import type { PostgresServer } from '@postern/testkit/postgres'
import { startRing, stopRing } from '../echo/ring.ts'
import { type Load, Side } from '../echo/side.ts'
import { inTurn, percentile } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const ROUNDS = 4
const warmUp: Load = { name: 'warm-up', people: 2, atOnceEach: 10, count: 400 }
const sequence: Load = { name: 'one at a time', people: 1, atOnceEach: 1, count: 100 }
const many: Load = { name: '2 people × 50 at once', people: 2, atOnceEach: 50, count: 1000 }

export const echoRows = (server: PostgresServer): Promise<Row[]> =>
  inScratch(async directory => {
    const people = 2
    const database = await server.createDatabase()
    const ours = new Side(await startRing(join(directory, 'shared'), { people, database }))
    const peer = new Side(await startRing(join(directory, 'sqlite'), { people }))
    const run = (load: Load) => [() => ours.run(load), () => peer.run(load)]
    await inTurn(1, run(warmUp))
    for (const load of [sequence, many]) await inTurn(ROUNDS, run(load))
    await Promise.all([ours, peer].map(side => stopRing(side.ring)))
    const times = [0.5, 0.95].map(part => ({
      what: `echo p${part * 100} through two relays, ${sequence.name}`,
      ours: percentile(ours.timesMs(sequence), part),
      unit: 'ms',
      peer: { what: 'SQLite, one relay', figure: percentile(peer.timesMs(sequence), part), better: 'less' as const },
    }))
    const rate = { what: 'SQLite, one relay', figure: peer.ratePerSec(many), better: 'more' as const }
    return [
      ...times,
      { what: `echoes through two relays, ${many.name}`, ours: ours.ratePerSec(many), unit: '/s', peer: rate },
    ]
  })
