// Posts that were written and whose senders may not know it: a retry is found out, and news is not taken for one.
import type { CreatedHook } from '@postern/bot-api'
import { type Clock, hookLimits, privateChatId } from '@postern/protocol'
import { ManualClock, type Person, passTime, type TestGateway, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Hooks } from '../src/hooks/hooks.ts'
import { HookMemory } from '../src/hooks/memory.ts'
import { HookReceiver } from '../src/hooks/receive.ts'
import { Metrics } from '../src/metrics/metrics.ts'
import type { Fate } from '../src/waiting.ts'
import type { Api } from './api.ts'
import { HOOKS_URL, hookedGateway, newHook, secretOf } from './hooks.ts'

let world: World
let alice: Person
let clock: ManualClock
let gateway: TestGateway
let api: Api
let hook: CreatedHook
beforeEach(async () => {
  world = await World.start()
  alice = await world.person('alice')
  clock = new ManualClock(Date.now())
  const online = await hookedGateway(world, alice, { clock })
  gateway = online.gateway
  api = online.api
  hook = await newHook(api, alice.id, 'text')
})
afterEach(() => world.stop())

/** What a process has in memory: a new one is what a restart makes of what is on disk. */
function newProcess(own: Clock = clock, passed = gateway.client.passed): HookReceiver {
  const { client } = gateway
  const records = client.records('hooks')
  const hooks = new Hooks(records, { hooksUrl: HOOKS_URL, clock })
  const memory = new HookMemory(records, passed)
  return new HookReceiver({ client, hooks, memory, clock: own, passed, metrics: new Metrics() })
}

/** Resolves when it is written; the sender hears of it when it is told so. */
async function posted(receiver: HookReceiver, text: string): Promise<(end: Fate | 'hung up') => void> {
  const waiting = new AbortController()
  async function* upload(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  const post = { secret: secretOf(hook), contentType: 'text/plain', vcsToken: undefined, idempotencyKey: undefined }
  let tellFate: (known: Fate) => void = () => undefined
  const fate = (tell: (known: Fate) => void) => {
    tellFate = tell
  }
  await receiver.receive({ ...post, upload: upload() }, { gone: waiting.signal, fate })
  return end => {
    waiting.abort(end === 'hung up' ? end : 'answered')
    if (end !== 'hung up') tellFate(end)
  }
}

async function heardOf(receiver: HookReceiver): Promise<string[]> {
  await posted(receiver, 'end')
  await alice.hears('end')
  return alice.texts(privateChatId(gateway.client.account))
}

test('[GATEWAY-10.5] killed between the last write and the answer: the retry writes nothing', async () => {
  await posted(newProcess(), 'once')
  const after = newProcess()
  ;(await posted(after, 'once'))('heard')
  expect(await heardOf(after)).toEqual(['once', 'end'])
})

test('[GATEWAY-10.5] so does the retry of a sender that hung up; once it has heard, the same is news', async () => {
  const receiver = newProcess()
  ;(await posted(receiver, 'once'))('hung up')
  ;(await posted(receiver, 'once'))('heard')
  ;(await posted(receiver, 'once'))('heard')
  expect(await heardOf(receiver)).toEqual(['once', 'once', 'end'])
})

test('[GATEWAY-10.5] two senders that say the same at the same time are both heard', async () => {
  const receiver = newProcess()
  const answers = [await posted(receiver, 'ready'), await posted(receiver, 'ready')]
  for (const answer of answers) answer('heard')
  expect(await heardOf(receiver)).toEqual(['ready', 'ready', 'end'])
})

test('[GATEWAY-10.5] after ten minutes it is no retry any more', async () => {
  ;(await posted(newProcess(), 'again'))('hung up')
  clock.leap(hookLimits.unheardWithinMs)
  await passTime(clock, gateway.client.whenOnline({ deadlineMs: 3_600_000 }))
  const after = newProcess()
  ;(await posted(after, 'again'))('heard')
  expect(await heardOf(after)).toEqual(['again', 'again', 'end'])
})

test.each([
  ['text', 'again'],
  [
    'alerts',
    JSON.stringify({ version: '4', groupKey: 'g', status: 'firing', alerts: [{ status: 'firing', labels: {} }] }),
  ],
] as const)('[GATEWAY-10.5] nor is %s that was remembered by a clock that was days ahead', async (format, body) => {
  hook = await newHook(api, alice.id, format)
  ;(await posted(newProcess(), body))('hung up')
  const { passed } = gateway.client
  // Time was counted anew since, from where the clock stood when it was set right.
  const behind = { isKnown: true, nowMs: () => passed.nowMs() - 3 * 86_400_000 }
  ;(await posted(newProcess(clock, behind), body))('heard')
  await expect.poll(() => alice.texts(privateChatId(gateway.client.account))).toHaveLength(2)
})

test('[GATEWAY-10.13] the retry of a failure that was mended meanwhile does not break the branch again', async () => {
  hook = await newHook(api, alice.id, 'pipeline')
  const receiver = newProcess()
  const run = (id: number, status: string) =>
    JSON.stringify({ object_kind: 'pipeline', object_attributes: { id, ref: 'main', status } })
  ;(await posted(receiver, run(1, 'failed')))('hung up')
  ;(await posted(receiver, run(2, 'success')))('heard')
  ;(await posted(receiver, run(1, 'failed')))('heard')
  ;(await posted(receiver, run(3, 'success')))('heard')
  ;(await posted(receiver, run(4, 'canceled')))('heard')
  await expect.poll(() => alice.texts(privateChatId(gateway.client.account)).at(-1)).toMatch(/^🚫/)
  const signs = alice.texts(privateChatId(gateway.client.account)).map(text => [...text][0])
  expect(signs).toEqual(['❌', '✅', '🚫'])
})

test('[GATEWAY-10.5] a clock that is set back while a post waits does not keep its sender waiting', async () => {
  let shiftMs = 0
  const shifted: Clock = {
    nowMs: () => clock.nowMs() + shiftMs,
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (afterMs, run) => clock.setTimer(afterMs, run),
  }
  const startedMs = clock.nowMs()
  gateway.wire.cut()
  const post = posted(newProcess(shifted), 'late')
  shiftMs = -3_600_000
  await expect(passTime(clock, post)).rejects.toThrow()
  expect(clock.nowMs() - startedMs).toBeLessThanOrEqual(hookLimits.postWithinMs + 1000)
})
