// The calls about pushes: marked messages, the relay's key, and the subscriptions of devices.
import { randomBytes } from 'node:crypto'
import { isCoded, relayFixedLimits } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { arrive, chatOf, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { directEnvelope, messageEnvelope } from './test-client.ts'

const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/one'
const subscription = { endpoint, p256dh: randomBytes(65), auth: randomBytes(16), muted: [] }

describe('marked messages', () => {
  const plain = { to: undefined, leave: false, attention: 'message', preview: undefined } as const

  test('[RELAY-10.1] are appended like others: once, in order, to whom they are for', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    const sealed = { group, epoch: 1 }
    const payload = messageEnvelope(sealed)
    const marked = { ...plain, payload, preview: randomBytes(80) }
    const { accepted } = await alice.call('appendMarked', marked)
    expect(await alice.call('appendMarked', marked)).toMatchObject({ accepted: { ...accepted, duplicate: true } })
    expect(await alice.append(payload)).toMatchObject({ accepted: { ...accepted, duplicate: true } })
    const mention = { ...plain, payload: directEnvelope(sealed), to: bob.id, attention: 'mention' } as const
    await alice.call('appendMarked', mention)
    await alice.append(messageEnvelope(sealed))
    const kinds = (await bob.delivered(4)).map(({ kind }) => kind)
    expect(kinds).toEqual(['welcome', 'message', 'direct', 'message'])
    expect(Buffer.compare(bob.entries[1]?.payload ?? Buffer.of(), payload)).toBe(0)
    expect(await alice.call('appendMarked', { ...plain, payload: messageEnvelope({ group, epoch: 0 }) })).toEqual({
      accepted: undefined,
      epoch: 1,
    })
  })

  test('[RELAY-10.1] a preview for nobody’s attention, and a farewell for it, are refused', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const payload = messageEnvelope({ group: await chatOf(alice, bob), epoch: 1 })
    const asked = [
      { ...plain, payload, attention: 'none', preview: randomBytes(8) },
      { ...plain, payload, leave: true },
    ] as const
    for (const request of asked)
      await expect(alice.call('appendMarked', request)).rejects.toMatchObject({ code: 'bad-field' })
  })
})

describe('the relay’s key', () => {
  test('[RELAY-10.2] is made once, and is the same after a restart', async () => {
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory })
    const alice = await arrive(relay)
    const { key } = await alice.call('pushKey', {})
    expect(key).toHaveLength(65)
    expect(key?.[0]).toBe(4)
    expect(await alice.call('pushKey', {})).toEqual({ key })
    await relay.stop()
    const again = await arrive(await testRelay({ dataDirectory }), alice.person)
    expect(await again.call('pushKey', {})).toEqual({ key })
  })

  test('[RELAY-10.3] a relay that does not push has none, and takes no subscription', async () => {
    const alice = await arrive(await testRelay({ push: 'off' }))
    expect(await alice.call('pushKey', {})).toEqual({ key: undefined })
    await expect(alice.call('setPush', subscription)).rejects.toMatchObject({ code: 'push-off' })
    await alice.call('clearPush', {})
  })
})

describe('a subscription', () => {
  test('[RELAY-10.4] is set, replaced and cleared', async () => {
    const alice = await arrive(await testRelay())
    await alice.call('clearPush', {})
    await alice.call('setPush', subscription)
    await alice.call('setPush', { ...subscription, auth: randomBytes(16) })
    await alice.call('clearPush', {})
  })

  test('[RELAY-10.4] is changed at most so often', async () => {
    const alice = await arrive(await testRelay())
    const asked = Array.from({ length: relayFixedLimits.subscriptionsSetPerMinute + 1 }, () =>
      alice.call('setPush', subscription).then(
        () => 'set',
        (error: unknown) => (isCoded(error) ? error.code : String(error)),
      ),
    )
    expect((await Promise.all(asked)).at(-1)).toBe('rate-limited')
  })

  test.each([
    ['http://updates.push.services.mozilla.com/1', 'https'],
    ['https://user:secret@updates.push.services.mozilla.com/1', 'password'],
    ['https://updates.push.services.mozilla.com:8443/1', 'port'],
    ['https://example.com/1', 'operator'],
    ['https://mozilla.com.example.com/1', 'operator'],
    ['https://notmozilla.com/1', 'operator'],
    ['https://127.0.0.1/1', 'operator'],
    ['https://[::1]/1', 'operator'],
    ['file:///etc/passwd', 'https'],
    ['no address', 'URL'],
  ])('[RELAY-10.5] of %s is refused', async (bad, word) => {
    const alice = await arrive(await testRelay())
    await expect(alice.call('setPush', { ...subscription, endpoint: bad })).rejects.toMatchObject({
      code: 'push-endpoint',
      message: expect.stringContaining(word),
    })
  })
})
