// A short run of the fuzz: mutated requests to a gateway, mutated frames to a relay and to clients.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fuzz } from '../src/fuzz/run-fuzz.ts'

const REQUESTS = 1500
const FRAMES = 1500

test('bent requests and frames: nothing falls over, every answer is documented, and who is refused has changed nothing', async () => {
  const seed = Number(process.env['FUZZ_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.info(`to repeat: FUZZ_SEED=${seed}`)
  const home = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { cases, counts } = await fuzz({ requests: REQUESTS, frames: FRAMES, seed, first: 0 }, home)
  expect(
    cases.map(({ what, fault, bytes }) => `${what}: ${fault}\n${JSON.stringify(bytes.toString('latin1'))}`),
  ).toEqual([])
  expect(counts, 'some were right, and some were refused').toMatchObject({
    200: expect.any(Number),
    400: expect.any(Number),
  })
})
