// Logins a second, as far as the store goes: known devices of one relay, with commits that wait for a standby.

import { toBase64Url } from '@postern/protocol'
import type { PostgresServer } from '@postern/testkit/postgres'
import { newAccount } from '../appends/people.ts'
import { median } from '../figures.ts'
import type { Row } from '../table.ts'
import { startStores } from './children.ts'
import { delayCommits } from './commit-delay.ts'
import type { KnownDevice } from './log-in.ts'

const COMMITS_MS = [0, 5, 20]
const ROUNDS = 3
const DEVICES = 2_000
const load = { inFlight: 1_000, logins: 10_000 }

export async function loginRows(server: PostgresServer): Promise<Row[]> {
  const rows: Row[] = []
  for (const ms of COMMITS_MS) rows.push(await rowFor(server, ms))
  return rows
}

function newDevice(): KnownDevice {
  const { id, account, device } = newAccount()
  return { id, accountKey: toBase64Url(account.publicKey), device: `${id}.${toBase64Url(device.publicKey)}` }
}

async function rowFor(server: PostgresServer, ms: number): Promise<Row> {
  const database = await server.createDatabase()
  const place = { kind: 'postgres' as const, database }
  const [filling] = await startStores(place, 1)
  const known = Array.from({ length: DEVICES }, newDevice)
  await filling?.ask('register', known)
  await filling?.stop()
  await delayCommits(server, { database, ms })
  const [store] = await startStores(place, 1)
  const perSec: number[] = []
  for (let round = 0; round < ROUNDS; round++) perSec.push((await store?.ask<number>('logIn', { ...load, known })) ?? 0)
  await store?.stop()
  await server.dropDatabase(database)
  return { what: `logins on PostgreSQL, commits of ${ms} ms`, ours: median(perSec), unit: '/s' }
}
