// A short run of the fuzz: mutated requests to a gateway, posts to its hooks, mutated frames to a relay and to clients.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedFrom } from '@postern/testkit/random'
import { expect, onTestFinished, test } from 'vitest'
import { hookKinds } from '../src/fuzz/hook-bodies.ts'
import { fuzz } from '../src/fuzz/run-fuzz.ts'

const REQUESTS = 1500
const FRAMES = 1500
/** For each kind of hook. */
const BODIES = 100
/** A busy machine needs more of its processor for the same work, so only the campaign judges shorter stalls. */
const STALL_MS_MAX = 1000

test('bent requests and frames: nothing falls over, every answer is documented, and who is refused has changed nothing', async () => {
  const seed = seedFrom('FUZZ_SEED')
  const home = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { cases, counts } = await fuzz({ requests: REQUESTS, bodies: 0, frames: FRAMES, seed, first: 0 }, home)
  expect(
    cases.map(({ what, fault, bytes }) => `${what}: ${fault}\n${JSON.stringify(bytes.toString('latin1'))}`),
  ).toEqual([])
  expect(counts, 'some were right, and some were refused').toMatchObject({
    200: expect.any(Number),
    400: expect.any(Number),
  })
})

test('[GATEWAY-10.50] bent bodies for hooks of each format: each is answered as documented, and none holds up others', async () => {
  const home = mkdtempSync(join(tmpdir(), 'postern-fuzz-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { cases, counts } = await fuzz(
    { requests: 0, bodies: BODIES, frames: 0, seed: seedFrom('FUZZ_SEED'), first: 0, stallMsMax: STALL_MS_MAX },
    home,
  )
  expect(cases.map(({ what, fault }) => `${what}: ${fault}`)).toEqual([])
  for (const { name } of hookKinds)
    expect(counts, 'some were written or would be, and some were refused').toMatchObject({
      [`${name} 200`]: expect.any(Number),
      [`${name} 400`]: expect.any(Number),
    })
})
