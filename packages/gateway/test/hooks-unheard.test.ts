// Posts that were sent and whose senders may not know it: a retry is recognized, and news is not mistaken for one.
import { type Clock, hookLimits, privateChatId, silentLog } from '@postern/protocol'
import { passTime } from '@postern/testkit'
import { expect } from 'vitest'
import { fullAccess } from '../src/access.ts'
import type { AnswerOutcome } from '../src/caller.ts'
import { Hooks } from '../src/hooks/hooks.ts'
import { LastResults } from '../src/hooks/last-results.ts'
import { HookMemory } from '../src/hooks/memory.ts'
import { HookReceiver } from '../src/hooks/receive.ts'
import { Metrics } from '../src/metrics/metrics.ts'
import { test as base } from './fixtures.ts'
import { HOOKS_URL, hookedGateway, newHook, secretOf } from './hooks.ts'

const test = base
  .extend('online', ({ clock, world, alice }) => hookedGateway(world, alice, { clock }))
  .extend('gateway', ({ online }) => online.gateway)
  .extend('api', ({ online }) => online.api)
  .extend('hook', ({ alice, api }) => newHook(api, alice.id, 'text'))
  /** The memory of a process: a new one loads the disk, as after a restart. */
  .extend(
    'newProcess',
    ({ clock, gateway }) =>
      (own: Clock = clock, elapsed = gateway.client.elapsed, log = silentLog): HookReceiver => {
        const { client } = gateway
        const records = client.records('hooks')
        const hooks = new Hooks(records, { hooksUrl: HOOKS_URL, clock })
        const memory = new HookMemory(records, elapsed)
        return new HookReceiver({
          client,
          hooks,
          memory,
          last: new LastResults(records, { clock, elapsed: clock }),
          language: 'ru',
          living: { receive: async () => 'silent', preview: () => ({}) },
          clock: own,
          elapsed,
          metrics: new Metrics(),
          log,
        })
      },
  )
  /** Resolves when the message is sent; the sender gets the answer when the test says so. */
  .extend(
    'posted',
    ({ hook }) =>
      async (receiver: HookReceiver, text: string, to = hook): Promise<(end: AnswerOutcome | 'hung up') => void> => {
        const waiting = new AbortController()
        async function* upload(): AsyncGenerator<Uint8Array> {
          yield Buffer.from(text)
        }
        const post = { secret: secretOf(to), headers: { 'content-type': 'text/plain' }, isDryRun: false }
        let tellFate: (known: AnswerOutcome) => void = () => undefined
        const fate = (tell: (known: AnswerOutcome) => void) => {
          tellFate = tell
        }
        await receiver.receive(
          { ...post, upload: upload() },
          { access: fullAccess, gone: waiting.signal, fate, trust: () => undefined },
        )
        return end => {
          waiting.abort(end === 'hung up' ? end : 'answered')
          if (end !== 'hung up') tellFate(end)
        }
      },
  )
  .extend('heardOf', ({ alice, posted, gateway }) => async (receiver: HookReceiver): Promise<string[]> => {
    await posted(receiver, 'end')
    await alice.hears('end')
    return alice.texts(privateChatId(gateway.client.account))
  })

test('[GATEWAY-10.5] killed between the last write and the answer: the retry writes nothing', async ({
  posted,
  newProcess,
  heardOf,
}) => {
  await posted(newProcess(), 'once')
  const after = newProcess()
  ;(await posted(after, 'once'))('heard')
  expect(await heardOf(after)).toEqual(['once', 'end'])
})

test('[GATEWAY-10.5] so does the retry of a sender that hung up; once it has heard, the same is news', async ({
  newProcess,
  posted,
  heardOf,
}) => {
  const receiver = newProcess()
  ;(await posted(receiver, 'once'))('hung up')
  ;(await posted(receiver, 'once'))('heard')
  ;(await posted(receiver, 'once'))('heard')
  expect(await heardOf(receiver)).toEqual(['once', 'once', 'end'])
})

test('[GATEWAY-10.5] two senders that say the same at the same time are both heard', async ({
  newProcess,
  posted,
  heardOf,
}) => {
  const receiver = newProcess()
  const answers = [await posted(receiver, 'ready'), await posted(receiver, 'ready')]
  for (const answer of answers) answer('heard')
  expect(await heardOf(receiver)).toEqual(['ready', 'ready', 'end'])
})

test('[GATEWAY-10.5] after ten minutes it is no retry any more', async ({
  clock,
  posted,
  newProcess,
  gateway,
  heardOf,
}) => {
  ;(await posted(newProcess(), 'again'))('hung up')
  clock.leap(hookLimits.unheardWithinMs)
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
  const after = newProcess()
  ;(await posted(after, 'again'))('heard')
  expect(await heardOf(after)).toEqual(['again', 'again', 'end'])
})

test.for([
  ['text', 'again'],
  [
    'alerts',
    JSON.stringify({ version: '4', groupKey: 'g', status: 'firing', alerts: [{ status: 'firing', labels: {} }] }),
  ],
] as const)(
  '[GATEWAY-10.5] nor is %s that was remembered by a clock that was days ahead',
  async ([format, body], { clock, alice, api, posted, newProcess, gateway }) => {
    const to = await newHook(api, alice.id, format)
    ;(await posted(newProcess(), body, to))('hung up')
    const { elapsed } = gateway.client
    // Elapsed time restarted since, from the clock's value when it was corrected.
    const behind = { isKnown: true, offMs: 0, nowMs: () => elapsed.nowMs() - 3 * 86_400_000 }
    ;(await posted(newProcess(clock, behind), body, to))('heard')
    await expect.poll(() => alice.texts(privateChatId(gateway.client.account))).toHaveLength(2)
  },
)

test('[GATEWAY-10.13] the retry of a failure that was mended meanwhile does not break the branch again', async ({
  alice,
  api,
  newProcess,
  posted,
  gateway,
}) => {
  const to = await newHook(api, alice.id, 'pipeline')
  const receiver = newProcess()
  const run = (id: number, status: string) =>
    JSON.stringify({ object_kind: 'pipeline', object_attributes: { id, ref: 'main', status } })
  ;(await posted(receiver, run(1, 'failed'), to))('hung up')
  ;(await posted(receiver, run(2, 'success'), to))('heard')
  ;(await posted(receiver, run(1, 'failed'), to))('heard')
  ;(await posted(receiver, run(3, 'success'), to))('heard')
  ;(await posted(receiver, run(4, 'canceled'), to))('heard')
  await expect.poll(() => alice.texts(privateChatId(gateway.client.account)).at(-1)).toMatch(/^🚫/)
  const signs = alice.texts(privateChatId(gateway.client.account)).map(text => [...text][0])
  expect(signs).toEqual(['❌', '✅', '🚫'])
})

test('[GATEWAY-10.5] a clock that is set back while a post waits does not keep its sender waiting', async ({
  clock,
  gateway,
  posted,
  newProcess,
}) => {
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

test('[GATEWAY-10.25] a post that is not written says why, and not what it said', async ({
  alice,
  api,
  clock,
  gateway,
  hook,
  newProcess,
  posted,
}) => {
  const lines: object[] = []
  const log = { ...silentLog, debug: (fields: object, text: string) => void lines.push({ ...fields, text }) }
  const receiver = newProcess(clock, gateway.client.elapsed, log)
  const said = (why: string, { id } = hook) => ({ hook: id, why, text: 'hook post ignored' })
  ;(await posted(receiver, 'secret words'))('hung up')
  ;(await posted(receiver, 'secret words'))('heard')
  expect(lines).toEqual([said('it was written before, and its sender may not have heard so')])
  const branch = await newHook(api, alice.id, 'pipeline')
  const run = { object_kind: 'pipeline', object_attributes: { id: 1, ref: 'main', status: 'success' } }
  ;(await posted(newProcess(clock, gateway.client.elapsed, log), JSON.stringify(run), branch))('heard')
  expect(lines.at(-1)).toEqual(said('a success is told only after a failure', branch))
})
