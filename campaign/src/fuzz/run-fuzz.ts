// `npm run campaign -- fuzz`: mutated requests, posts to hooks and frames against a gateway, a relay and a client, none of which may crash.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { countedOptions } from '../counted-options.ts'
import { ClientFuzz } from './fuzz-clients.ts'
import { FrameFuzz } from './fuzz-frames.ts'
import { type BodiesPlan, HookFuzz } from './fuzz-hooks.ts'
import { type Case, type RequestCounts, RequestFuzz } from './fuzz-requests.ts'
import { type FuzzWorld, goesOn, residentBytes, startFuzzWorld, stopFuzzWorld } from './fuzz-world.ts'

export type FuzzPlan = BodiesPlan & { requests: number; frames: number }
export type FuzzReport = { counts: RequestCounts; cases: Case[]; residentMb: Record<string, string> }

const MIB = 2 ** 20
/** More than this is a leak: the memory of a gateway does not depend on how much it was sent. */
const GROWN_BYTES_MAX = 400 * MIB
const SHOWN_CHARS = 2000
const GOES_ON_WITHIN_MS = 120_000
/** The share of frames from a relay to clients; the others are from clients to a relay. */
const CLIENTS_SHARE = 0.1

export async function run(args: readonly string[]): Promise<number> {
  const asked = countedOptions(args, { requests: 100_000, bodies: 10_000, frames: 50_000, first: 0 })
  if (typeof asked === 'string') {
    console.error(asked)
    return 2
  }
  const { isJson, ...plan } = asked
  console.error(`seed ${plan.seed}`)
  const home = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
  const report = await fuzz(plan, home)
  for (const [at, { bytes }] of report.cases.entries()) writeFileSync(join(home, `case-${at}`), bytes)
  if (isJson) console.log(JSON.stringify({ seed: plan.seed, ...report, cases: report.cases.map(shownCase) }))
  else printReport(report)
  if (report.cases.length === 0) rmSync(home, { recursive: true, force: true })
  else
    console.error(
      `kept in ${home}; the request N again, alone: --requests 1 --bodies 0 --frames 0 --first N --seed ${plan.seed}`,
    )
  return report.cases.length === 0 ? 0 : 1
}

const shownCase = ({ what, fault, bytes }: Case) => ({
  what,
  fault,
  bytes: bytes.toString('latin1').slice(0, SHOWN_CHARS),
})

function printReport({ counts, cases, residentMb }: FuzzReport): void {
  console.table({ ...counts, ...residentMb })
  for (const { what, fault, bytes } of cases.map(shownCase))
    console.log(`FAULT ${what}: ${fault}\n${JSON.stringify(bytes)}`)
  console.log(cases.length === 0 ? 'Nothing fell over.' : `${cases.length} faults`)
}

export async function fuzz(
  { requests, bodies, frames, seed, first, stallMsMax }: FuzzPlan,
  home: string,
): Promise<FuzzReport> {
  const world = await startFuzzWorld(home)
  try {
    await goesOn(world, 'before')
    const pids = pidsOf(world)
    const before = memoryOf(world)
    const toClients = Math.floor(frames * CLIENTS_SHARE)
    const runs = [
      new RequestFuzz(world, { requests, seed, first }),
      new HookFuzz(world, { bodies, seed, first, stallMsMax }),
      new FrameFuzz(world.relay.url, { frames: frames - toClients, seed, first }),
      new ClientFuzz({ frames: toClients, seed }),
    ]
    for (const one of runs) await one.run()
    const cases = [...runs.flatMap(one => one.cases), ...crashes(world, pids)]
    const after = memoryOf(world)
    for (const [name, bytes] of Object.entries(after))
      if (bytes - (before[name] ?? 0) > GROWN_BYTES_MAX)
        cases.push({ what: name, fault: `it has grown to ${Math.round(bytes / MIB)} MiB`, bytes: Buffer.alloc(0) })
    cases.push(
      ...world.leaks.map(line => ({ what: 'the log', fault: `it has the token: ${line}`, bytes: Buffer.alloc(0) })),
    )
    cases.push(...(await standstill(world)))
    return {
      counts: Object.fromEntries(runs.flatMap(({ counts }) => Object.entries(counts))),
      cases,
      residentMb: grown(before, after),
    }
  } finally {
    await stopFuzzWorld(world)
  }
}

/** Whether a message still passes through every part, and back. */
async function standstill(world: FuzzWorld): Promise<Case[]> {
  const timer = new AbortController()
  const late = pause(GOES_ON_WITHIN_MS, 'late' as const, { signal: timer.signal }).catch(() => undefined)
  const said = goesOn(world, 'after').then(
    () => undefined,
    (error: unknown) => String(error),
  )
  const fault = await Promise.race([said, late])
  timer.abort()
  return fault === undefined
    ? []
    : [{ what: 'the end', fault: `nothing goes through: ${fault}`, bytes: Buffer.alloc(0) }]
}

const pidsOf = ({ parts }: FuzzWorld): Record<string, number | undefined> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.pid]))

const memoryOf = ({ parts }: FuzzWorld): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parts)
      .filter(([, part]) => part.pid !== undefined)
      .map(([name, part]) => [name, residentBytes(part)]),
  )

function crashes({ parts }: FuzzWorld, pids: Record<string, number | undefined>): Case[] {
  return Object.entries(parts)
    .filter(([name, part]) => part.crash !== undefined || part.pid !== pids[name])
    .map(([name, part]) => ({ what: name, fault: `it ended: ${part.crash}`, bytes: Buffer.alloc(0) }))
}

function grown(before: Record<string, number>, after: Record<string, number>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(after).map(([name, bytes]) => [
      `MiB of ${name}`,
      `${Math.round((before[name] ?? 0) / MIB)} → ${Math.round(bytes / MIB)}`,
    ]),
  )
}
