// A database whose disk fails now and then, for a part of the calls: what was committed is there, and nothing else.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FailingDisk, makeDiskFaults } from '@postern/testkit/disk-faults'
import { timesFrom } from '@postern/testkit/random'
import { afterAll, expect, test } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'core-failing-disk-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A URL, so that the check for unused files sees it. */
const PROGRAM = fileURLToPath(new URL('failing-disk-writer.ts', import.meta.url))
const ROUNDS = 100
const SEEDS = Array.from({ length: timesFrom('DISK_SEEDS', { change: 4, campaign: 100 }) }, (_, at) => at + 1)

test.for(SEEDS)(
  '[CORE-11.28] a disk that fails now and then loses nothing and damages nothing (seed %d)',
  async (seed, { skip }) => {
    const library = makeDiskFaults(home)
    if (library.kind === 'missing') return skip(library.why)
    const disk = new FailingDisk(library.path, join(home, `${seed}`))
    const child = spawn(process.execPath, [PROGRAM, disk.directory, `${seed}`, `${ROUNDS}`], {
      env: { ...process.env, ...disk.env },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    const [code] = (await once(child, 'close')) as [number | null]
    expect([code, code === 0 ? '' : said]).toEqual([0, ''])
  },
)
