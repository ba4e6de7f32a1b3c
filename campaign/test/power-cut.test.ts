// A power cut removes unsynced data, and nothing else: shown with writers that acknowledge too early.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SeededRandom } from '@postern/testkit'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { cutPower } from '../src/power/cut-power.ts'
import { diskLogEnvironment, makeDiskLog } from '../src/power/disk-log.ts'
import { StoredFile } from '../src/power/stored-file.ts'

const WRITER = join(import.meta.dirname, 'acknowledging-writer.mjs')
const ACKNOWLEDGED = 20
const CUTS = 12

const scratch = mkdtempSync(join(tmpdir(), 'postern-power-'))
const library = makeDiskLog(scratch)
beforeEach(({ skip }) => {
  if (library.kind === 'missing') skip(library.why)
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** The number of acknowledged lines when the writer was killed, its directory before, and its changes. */
async function killedWriter(fault: string) {
  if (library.kind === 'missing') throw new Error(library.why)
  const home = mkdtempSync(join(scratch, 'writer-'))
  const [directory, before, log] = ['data', 'before', 'log'].map(name => join(home, name)) as [string, string, string]
  for (const made of [directory, before]) mkdirSync(made)
  const env = { ...process.env, ...diskLogEnvironment(library.path, { directory, log }) }
  const writer = spawn(process.execPath, [WRITER, directory, fault], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged = await linesUntilKilled(writer)
  return { acknowledged, life: { directory, before, log } }
}

async function linesUntilKilled(writer: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> }) {
  const closed = once(writer, 'close')
  let heard = 0
  createInterface({ input: writer.stdout }).on('line', () => {
    if (++heard === ACKNOWLEDGED) writer.kill('SIGKILL')
  })
  await closed
  return heard
}

/** Acknowledged lines that are not on the disk after each of some cuts. */
async function lostAfterCuts(fault: string): Promise<number[]> {
  const { acknowledged, life } = await killedWriter(fault)
  return Array.from({ length: CUTS }, (_, seed) => {
    cutPower(life, new SeededRandom(seed))
    const left = linesIn(join(life.directory, 'lines/lines.txt'))
    return Array.from({ length: acknowledged }, (__, line) => `line ${line}`).filter(line => !left.has(line)).length
  })
}

function linesIn(file: string): Set<string> {
  try {
    return new Set(readFileSync(file, 'utf8').split('\n'))
  } catch {
    return new Set()
  }
}

test('what was synced before it was acknowledged outlives every cut', async () => {
  expect(await lostAfterCuts('none')).toEqual(Array.from({ length: CUTS }, () => 0))
})

test.each(['bytes are not synced', 'name is not synced', 'folder is not synced'])(
  'a writer whose %s is caught',
  async fault => {
    const lost = await lostAfterCuts(fault)
    expect(Math.max(...lost), 'some cut takes acknowledged lines').toBeGreaterThan(0)
    expect(Math.min(...lost), 'and some cut leaves them all').toBe(0)
  },
)

test('the same seed leaves the same', async () => {
  const { life } = await killedWriter('bytes are not synced')
  const leftOf = (seed: number) => {
    cutPower(life, new SeededRandom(seed))
    return [...linesIn(join(life.directory, 'lines/lines.txt'))]
  }
  expect(leftOf(3)).toEqual(leftOf(3))
})

test('a block is one of those that stood there since the last sync, and blocks are torn apart', () => {
  const bytes = (value: number) => new Uint8Array(1024).fill(value)
  const kinds = new Set<string>()
  for (let seed = 0; seed < 400; seed++) {
    const file = new StoredFile(bytes(1))
    for (const value of [2, 3]) file.change({ kind: 'write', at: 0, bytes: bytes(value) })
    const left = file.afterCut(new SeededRandom(seed))
    const sectors = [left.subarray(0, 512), left.subarray(512)]
    for (const sector of sectors) expect(new Set(sector).size, 'a sector is whole').toBe(1)
    kinds.add(sectors.map(sector => sector[0]).join())
  }
  expect([...kinds].toSorted()).toEqual(['1,1', '1,2', '1,3', '2,1', '2,2', '2,3', '3,1', '3,2', '3,3'])
})

test('after a sync nothing is taken; a cut off end is zero where it is written behind', () => {
  const file = new StoredFile(new Uint8Array([1, 2, 3, 4]))
  file.change({ kind: 'truncate', length: 1 })
  file.change({ kind: 'write', at: 3, bytes: new Uint8Array([9]) })
  file.settle()
  for (let seed = 0; seed < 20; seed++) expect([...file.afterCut(new SeededRandom(seed))]).toEqual([1, 0, 0, 9])
})
