// The memory use of large files, each direction in a process of its own.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const MIB = 1024 * 1024
/** As `npm start` and `npm run postern` run every part. */
const FLAGS = ['--max-semi-space-size=4']
const CARRIER = fileURLToPath(import.meta.resolve('./file-carrier.ts'))

test.for([
  { count: 1, bytes: 300 * MIB, aboveIdleMax: 64 * MIB },
  { count: 4, bytes: 100 * MIB, aboveIdleMax: 128 * MIB },
])('[CORE-13.20] $count at once of $bytes bytes', async ({ count, bytes, aboveIdleMax }, { world }) => {
  for (const way of ['up', 'down']) {
    const given = [...FLAGS, CARRIER, way, world.relayUrl, world.directory, String(count), String(bytes)]
    const { stdout } = await promisify(execFile)(process.execPath, given)
    const { aboveIdleBytes } = JSON.parse(stdout) as { aboveIdleBytes: number }
    expect(aboveIdleBytes).toBeLessThan(aboveIdleMax)
  }
})
