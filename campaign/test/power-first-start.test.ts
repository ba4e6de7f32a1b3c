// A power cut at any moment of a first start: the result can be started again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SeededRandom } from '@postern/testkit'
import { readClient } from '@postern/testkit/client-database'
import { freePort } from '@postern/testkit/free-port'
import { PersonProcess, RelayProcess } from '@postern/testkit/processes'
import { expect, onTestFinished, test } from 'vitest'
import { makeDiskLog } from '../src/power/disk-log.ts'
import { MortalPart } from '../src/power/mortal-part.ts'
import { relayFaults } from '../src/power/power-checks.ts'

/** A key and a database are created in this many changes; later ones are as on any other day. */
const CHANGES = 40
const SEEDS = 3

test('a cut at any moment of the first start leaves a directory that is begun anew', async ({ skip }) => {
  const home = mkdtempSync(join(tmpdir(), 'postern-power-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const library = makeDiskLog(home)
  if (library.kind === 'missing') return skip(library.why)
  const around = (name: string) => ({ name, home, library: library.path })
  const place = { directory: join(home, 'relay'), port: await freePort() }
  const relay = new MortalPart(new RelayProcess(place), around('relay'))
  onTestFinished(() => relay.process.kill())
  relay.start()
  const { url: relayUrl } = await relay.process.listening()
  const alice = new MortalPart(
    new PersonProcess('alice', { directory: join(home, 'alice'), relayUrl }),
    around('alice'),
  )
  onTestFinished(() => alice.process.kill())
  alice.start()
  await alice.process.ready()
  for (const { process } of [alice, relay]) await process.kill()
  const left = join(home, 'left')
  const faults: string[] = []
  for (let changesMax = 0; changesMax < CHANGES; changesMax++)
    for (let seed = 0; seed < SEEDS; seed++) {
      alice.leaveElsewhere(left, { random: new SeededRandom(seed), changesMax })
      faults.push(...faultsOf(() => void readClient(left)).map(fault => `alice, ${changesMax} ${seed}: ${fault}`))
      relay.leaveElsewhere(left, { random: new SeededRandom(seed), changesMax })
      faults.push(...faultsOf(() => relayFaults(left)).map(fault => `relay, ${changesMax} ${seed}: ${fault}`))
    }
  expect(faults).toEqual([])
})

function faultsOf(look: () => string[] | void): string[] {
  try {
    return look() ?? []
  } catch (error) {
    return [String(error)]
  }
}
