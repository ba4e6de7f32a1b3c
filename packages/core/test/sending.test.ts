// Sending over a wire that fails: nothing is lost, nothing is doubled, and nothing is sent later unnoticed.
import { isCoded } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { ManualClock, passTime, type TestPerson } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { callOf } from './lossy-wire.ts'

const soon = { timeoutMs: 300 }

const test = base
  /** Her clock is stopped: nothing is given up before it was sent. */
  .extend('talkingCarol', ({ world, bob }) => async () => {
    const clock = new ManualClock(Date.now())
    const carol = await world.person('carol', { clock })
    await carol.say(bob, 'first')
    await bob.hears('first')
    const reconnect = async () => {
      carol.wire.drop()
      await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
    }
    return { clock, carol, reconnect }
  })

test.beforeEach(async ({ alice, bob }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
})

describe('the relay out of reach', () => {
  test('[CORE-4.2] a send is refused, and nothing of it goes out later', async ({ alice, bob }) => {
    alice.wire.cut()
    await expect(alice.client.messages.sendText(bob.chatId, { text: 'never' }, soon)).rejects.toSatisfy(error =>
      isCoded(error, 'relay-unreachable'),
    )
    alice.wire.mend()
    await alice.online()
    await alice.say(bob, 'afterwards')
    await bob.hears('afterwards')
    expect(bob.texts(alice)).toEqual(['first', 'afterwards'])
    expect(alice.texts(bob)).toEqual(['first', 'afterwards'])
  })

  test('[CORE-4.1] a send that waits goes out when the relay is back', async ({ world, alice, bob }) => {
    await world.stopRelay()
    const said = alice.say(bob, 'patience')
    await world.startRelay()
    await said
    await bob.hears('patience')
  })
})

describe('the answer is lost', () => {
  /** The relay accepts the message; its answer is lost. */
  function loseAnswers({ wire }: TestPerson) {
    wire.incoming = frame => {
      const decoded = decodeRelayFrame(frame)
      const isLost = decoded.kind === 'answer' && (decoded.name === 'appendMarked' || decoded.name === 'outcome')
      return isLost ? [] : [frame]
    }
  }

  test('[CORE-4.3] the same bytes are sent again, and arrive once', async ({ alice, bob }) => {
    const sent: Uint8Array[] = []
    alice.wire.outgoing = frame => {
      if (callOf(frame) === 'appendMarked') sent.push(frame.slice())
      return [frame]
    }
    loseAnswers(alice)
    const said = alice.say(bob, 'once')
    await bob.hears('once')
    alice.wire.incoming = frame => [frame]
    alice.wire.drop()
    await said
    await alice.say(bob, 'next')
    await bob.hears('next')
    expect(bob.texts(alice)).toEqual(['first', 'once', 'next'])
    expect(sent.length).toBeGreaterThanOrEqual(3)
    const payloads = sent.slice(0, 2).map(frame => {
      const decoded = decodeClientFrame(frame)
      return decoded.kind === 'call' && decoded.name === 'appendMarked'
        ? Buffer.from(decoded.request.payload)
        : undefined
    })
    expect(payloads[0]).toEqual(payloads[1])
  })

  test('[CORE-4.4] a send in doubt stands in the history once the relay says that it has it', async ({
    bob,
    talkingCarol,
  }) => {
    const { clock, carol, reconnect } = await talkingCarol()
    loseAnswers(carol)
    const refused = carol.client.messages.sendText(bob.chatId, { text: 'in doubt' }, soon)
    await bob.hears('in doubt')
    clock.advance(soon.timeoutMs)
    await expect(refused).rejects.toSatisfy(error => isCoded(error, 'send-in-doubt'))
    expect(carol.texts(bob)).toEqual(['first'])
    carol.wire.incoming = frame => [frame]
    await reconnect()
    expect(carol.texts(bob)).toEqual(['first', 'in doubt'])
  })

  test('[CORE-4.4] a send in doubt that the relay never got is nowhere', async ({ bob, talkingCarol }) => {
    const { clock, carol, reconnect } = await talkingCarol()
    let lost = 0
    carol.wire.outgoing = frame => {
      if (callOf(frame) !== 'appendMarked') return [frame]
      lost++
      return []
    }
    const refused = carol.client.messages.sendText(bob.chatId, { text: 'lost' }, soon)
    await expect.poll(() => lost).toBe(1)
    clock.advance(soon.timeoutMs)
    await expect(refused).rejects.toSatisfy(error => isCoded(error, 'send-in-doubt'))
    carol.wire.outgoing = frame => [frame]
    await reconnect()
    await carol.say(bob, 'afterwards')
    await bob.hears('afterwards')
    expect(carol.texts(bob)).toEqual(['first', 'afterwards'])
    expect(bob.texts(carol)).toEqual(['first', 'afterwards'])
  })
})

test('[CORE-4.5] many at once keep one order with rising times, and pages skip nothing', async ({ alice, bob }) => {
  const count = 150
  await Promise.all(
    Array.from({ length: count }, (_, at) => (at % 2 ? alice : bob).say(at % 2 ? bob : alice, `m${at}`)),
  )
  await alice.say(bob, 'last')
  await bob.hears('last')
  await expect.poll(() => alice.texts(bob).length).toBe(count + 2)
  expect(alice.texts(bob)).toEqual(bob.texts(alice))
  const times = alice.client.messages.list(bob.chatId, { limit: 100 }).map(message => message.ts)
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
  expect(alice.client.messages.list(bob.chatId, { limit: 1 })[0]?.text).toBe('last')
})

test('[CORE-4.9] what is in doubt goes out again ahead of what is said later, however much it is', async ({
  alice,
  bob,
}) => {
  const words = Array.from({ length: 20 }, (_, at) => `m${at}`)
  let lost = 0
  alice.wire.outgoing = frame => {
    if (callOf(frame) !== 'appendMarked') return [frame]
    lost++
    return []
  }
  const said = words.map(text => alice.say(bob, text))
  await expect.poll(() => lost).toBe(words.length)
  // As early as possible: the new connection is still asking about the others.
  alice.wire.outgoing = frame => {
    if (callOf(frame) === 'outcome' && said.length === words.length) said.push(alice.say(bob, 'later'))
    return [frame]
  }
  alice.wire.drop()
  await expect.poll(() => said.length).toBe(words.length + 1)
  await Promise.all(said)
  await alice.say(bob, 'last')
  await bob.hears('last')
  expect(bob.texts(alice)).toEqual(['first', ...words, 'later', 'last'])
})
