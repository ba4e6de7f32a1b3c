// Posts whose end was not on the disk when the gateway was killed: the relay knows their outcome.
import type { CreatedHook, HookFormat } from '@postern/bot-api'
import { openDataDirectory } from '@postern/core/node'
import { contentLimits, hookLimits } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { passTime } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { backOnline, hearsFrom, hookedGateway, newHook, post } from './hooks.ts'

type Fields = Record<string, unknown>
type Post = { json: Fields; headers?: Record<string, string> }

const load = (status: 'firing' | 'resolved'): Fields => ({
  version: '4',
  status,
  groupKey: '{}:{alertname="Load"}',
  commonLabels: { alertname: 'Load' },
  alerts: [{ status, fingerprint: '1', labels: {} }],
})

const failedRun: Fields = {
  object_kind: 'pipeline',
  object_attributes: { id: 7, ref: 'main', status: 'failed' },
  project: { path_with_namespace: 'shop/cart' },
}

/** How many messages there wait for the relay's answer. */
function waitingOn(disk: string): number {
  const database = openDataDirectory(disk)
  try {
    return database.all('SELECT 1 FROM outbox').length
  } finally {
    database.close()
  }
}

/** The clock stands still: deferred changes reach the disk only with another write. */
const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend('hook', ({ hooked, alice }) => newHook(hooked.api, alice.id, 'text'))
  /** The status that the sender receives, however long that takes. */
  .extend('posted', ({ hooked, clock }) => {
    return async (to: CreatedHook, wanted: Post): Promise<number> =>
      (await passTime(clock, post(hooked.gateway, to, wanted))).status
  })
  /** Posted and answered, and then killed before anything about its end is on the disk. Returns the hook, which is new. */
  .extend('killedAfter', ({ hooked, alice, clock }) => {
    return async (format: HookFormat, wanted: Post): Promise<CreatedHook> => {
      for (;;) {
        const hook = await newHook(hooked.api, alice.id, format)
        // Messages of others would be written, and take the end along.
        hooked.gateway.wire.incoming = frame => (decodeRelayFrame(frame).kind === 'deliver' ? [] : [frame])
        expect(await post(hooked.gateway, hook, wanted)).toMatchObject({ status: 200 })
        const disk = hooked.diskNow()
        // The gateway may have written something else, too: then the next attempt is checked.
        if (waitingOn(disk) === 0) continue
        await hooked.restartFrom(disk)
        await backOnline(clock, hooked.gateway)
        return hook
      }
    }
  })
  .extend('later', ({ hooked, clock }) => async (forMs: number): Promise<void> => {
    clock.leap(forMs)
    await backOnline(clock, hooked.gateway)
  })
  /** The first line of every message that the bot has sent. */
  .extend('written', ({ hooked, alice, clock }) => async (): Promise<string[]> => {
    await passTime(clock, hooked.api.send(alice.id, { text: 'end' }))
    await passTime(clock, alice.hears('end'))
    return alice.texts(hooked.chatId).flatMap(text => (text === 'end' ? [] : [text.split('\n', 1)[0] ?? '']))
  })

describe('killed right after its answer', () => {
  test.for<[HookFormat, Fields]>([
    ['text', { text: 'once' }],
    ['alerts', load('firing')],
    ['pipeline', failedRun],
  ])(
    '[GATEWAY-10.26] a post to a hook of %s is a retry for ten minutes, and news after them',
    async ([format, json], { killedAfter, posted, later, written }) => {
      const early = await killedAfter(format, { json })
      const late = await killedAfter(format, { json })
      const { length } = await written()
      expect(await posted(early, { json })).toBe(200)
      expect(await written()).toHaveLength(length)
      await later(hookLimits.unheardWithinMs)
      expect(await posted(late, { json })).toBe(200)
      expect(await written()).toHaveLength(length + 1)
    },
  )

  test('[GATEWAY-10.26] what comes next about its group knows of it', async ({
    hooked,
    alice,
    killedAfter,
    posted,
    later,
  }) => {
    const hook = await killedAfter('alerts', { json: load('firing') })
    await later(hookLimits.unheardWithinMs)
    expect(await posted(hook, { json: load('resolved') })).toBe(200)
    const { reply_to } = await hearsFrom(alice, '✅')
    const said = alice.client.messages.list(hooked.chatId, { limit: 50 })
    expect(reply_to).toBe(said.findLast(({ text }) => text?.startsWith('🔥'))?.id)
  })

  test('[GATEWAY-10.7] it is not written again under its key, however late', async ({
    killedAfter,
    posted,
    later,
    written,
  }) => {
    const headers = { 'idempotency-key': 'k' }
    const hook = await killedAfter('text', { json: { text: 'once' }, headers })
    const before = await written()
    await later(2 * hookLimits.unheardWithinMs)
    expect(await posted(hook, { json: { text: 'other' }, headers })).toBe(400)
    expect(await posted(hook, { json: { text: 'once' }, headers })).toBe(200)
    expect(await written()).toEqual(before)
  })
})

test('[GATEWAY-10.27] what its sender was told to be in doubt is adopted later, though the gateway was killed with that answer', async ({
  hooked,
  hook,
  posted,
  later,
  written,
}) => {
  const json = { text: 'once' }
  hooked.gateway.wire.incoming = () => []
  expect(await posted(hook, { json })).toBe(502)
  await hooked.restartFrom(hooked.diskNow())
  await later(2 * hookLimits.unheardWithinMs)
  expect(await posted(hook, { json })).toBe(200)
  expect(await written()).toEqual(['once'])
})

test('[GATEWAY-10.5] killed between the parts of a text, the rest is written when it comes again, however late', async ({
  clock,
  hooked,
  hook,
  alice,
  posted,
  later,
  written,
}) => {
  const parts = ['a', 'b'].map(letter => letter.repeat(contentLimits.textCharsMax))
  const json = { text: parts.join('') }
  const { wire } = hooked.gateway
  let isFirst = true
  // Only the parts are of this size.
  wire.outgoing = frame => {
    if (frame.length < contentLimits.textCharsMax) return [frame]
    if (!isFirst) return []
    isFirst = false
    return [frame]
  }
  const cutOff = post(hooked.gateway, hook, { json }).catch(() => undefined)
  await alice.hears(parts[0] ?? '')
  await passTime(clock, hooked.restartFrom(hooked.diskNow()))
  await cutOff
  await later(2 * hookLimits.unheardWithinMs)
  expect(await posted(hook, { json })).toBe(200)
  expect(await written()).toEqual(parts)
})
