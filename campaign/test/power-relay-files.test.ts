// The relay's files besides its database, after a power cut: accepted blobs, and printed invites.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SeededRandom } from '@postern/testkit'
import { freePort } from '@postern/testkit/free-port'
import { PersonProcess, RelayProcess } from '@postern/testkit/processes'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { cutPower, type Life } from '../src/power/cut-power.ts'
import { diskLogEnvironment, makeDiskLog } from '../src/power/disk-log.ts'
import { MortalPart } from '../src/power/mortal-part.ts'

const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/postern.mjs')
const CUTS = 12

function scratchWithLibrary({ skip }: TestContext): { home: string; library: string } {
  const home = mkdtempSync(join(tmpdir(), 'postern-power-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const library = makeDiskLog(home)
  if (library.kind === 'missing') return skip(library.why)
  return { home, library: library.path }
}

const filesIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => entry.name)
    : []

test('a file that was acknowledged is at the relay after every cut, in a folder that was new', async context => {
  const { home, library } = scratchWithLibrary(context)
  const place = { directory: join(home, 'relay'), port: await freePort() }
  const relay = new MortalPart(new RelayProcess(place), { name: 'relay', home, library })
  onTestFinished(() => relay.process.kill())
  relay.start()
  const { url: relayUrl } = await relay.process.listening()
  const people = ['alice', 'bob'].map(name => new PersonProcess(name, { directory: join(home, name), relayUrl }))
  for (const person of people) {
    onTestFinished(() => person.kill())
    person.start()
  }
  const [alice, bob] = people as [PersonProcess, PersonProcess]
  await alice.ready()
  const chat = await bob.ready()
  await alice.do('open', { account: chat })
  await alice.do('file', { chat, path: LAUNCHER })
  await relay.process.kill()
  for (let seed = 0; seed < CUTS; seed++) {
    await relay.cut(new SeededRandom(seed))
    expect(filesIn(join(place.directory, 'blobs')), `seed ${seed}`).toHaveLength(1)
  }
})

test('an invite whose code was printed is there after every cut', async context => {
  const { home, library } = scratchWithLibrary(context)
  const life: Life = { directory: join(home, 'relay'), before: join(home, 'before'), log: join(home, 'log') }
  for (const made of [life.directory, life.before]) {
    mkdirSync(made)
    writeFileSync(join(made, 'relay.db'), '')
  }
  const env = { ...process.env, ...diskLogEnvironment(library, life) }
  const invite = spawn(process.execPath, [LAUNCHER, 'relay', 'invite', '--data', life.directory], { env })
  const [code] = (await once(invite, 'close')) as [number]
  expect(code).toBe(0)
  for (let seed = 0; seed < CUTS; seed++) {
    cutPower(life, new SeededRandom(seed))
    expect(filesIn(join(life.directory, 'invites')), `seed ${seed}`).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
  }
})
