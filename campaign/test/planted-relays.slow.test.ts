// Relays that break a promise after one kind of fault, and the campaign must find each.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { runRelays } from '../src/relays/run-relays.ts'

/**
 * `fault`: as the log names it. `broken`: see planted-relay.mjs. `isLasting`: nothing recovers from it, so nobody has to
 * wait for long. Everything else is waited for, however busy the machine is.
 */
type Plant = { fault: string; broken: string; isLasting?: boolean }

const BRIEFLY = { kills: 1, backWithinMs: 5_000, settleWithinMs: 15_000 }

if (!findPostgres()) console.warn(POSTGRES_MISSING)

/** The findings as `wrong deed`, each once, when relays break a promise after `plant.fault` and only `faults` come. */
async function foundWith(plant: Plant, faults: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-planted-relays-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const log = join(folder, 'faults.log')
  writeFileSync(log, '')
  const address = pathToFileURL(join(import.meta.dirname, 'planted-relay.mjs'))
  address.search = new URLSearchParams({ do: plant.broken, fault: plant.fault, log }).toString()
  const { findings } = await runRelays({
    // Two faults, so that there is traffic after the first.
    ...{ seed: 7, kills: 2, only: faults, size: 'small', folder },
    ...(plant.isLasting && BRIEFLY),
    imports: [address.href],
    say: line => appendFileSync(log, `${line}\n`),
  })
  return [...new Set(findings.map(({ wrong, deed }) => `${wrong} ${deed}`))]
}

test.skipIf(!findPostgres()).for<Plant & { only: string; found: RegExp }>([
  { fault: 'login-storm', only: 'login-storm', broken: 'shut-out', isLasting: true, found: /^unsettled login$/ },
  { fault: 'login-storm', only: 'login-storm', broken: 'double', found: /^doubled message$/ },
  { fault: 'database-slow', only: 'database-slow', broken: 'leave-waiting', isLasting: true, found: /^unsettled / },
  { fault: 'snapshot-held', only: 'snapshot-held', broken: 'lose', found: /^lost message in / },
  { fault: 'disk-full', only: 'disk-full', broken: 'lose', found: /^lost message in / },
  { fault: 'database-restarted', only: 'database-restarted', broken: 'double', found: /^doubled message$/ },
  { fault: 'primary-lost', only: 'primary-killed', broken: 'admit-all', isLasting: true, found: /^unsettled relay$/ },
  {
    ...{ fault: 'marked-restored', only: 'restored-while-cut', broken: 'admit-all', isLasting: true },
    found: /^fault-of-ours relay restored$/,
  },
  { fault: 'blobs-gone', only: 'blobs-refused', broken: 'refuse-blobs', isLasting: true, found: /^unsettled blob$/ },
])(
  '[RELAY-7.44] relays that go wrong from $only on ($broken) are found out',
  { timeout: 900_000 },
  async ({ only, found, ...plant }) => {
    expect(await foundWith(plant, [only])).toContainEqual(expect.stringMatching(found))
  },
)

test.skipIf(!findPostgres())(
  '[RELAY-7.44] relays that would go wrong after another fault are not suspected',
  async () => {
    expect(await foundWith({ fault: 'database-slow', broken: 'lose' }, ['login-storm'])).toEqual([])
  },
  900_000,
)
