// The queue of outgoing messages: in order, once, whatever happens to the network, the worker and the relay.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { appLimits, DAY_MS } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { passTime, Wire } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { heardBy, meet, TestApp } from './app-world.ts'

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `message ${at}`)

const isAnswerTo =
  (...names: string[]) =>
  (frame: Uint8Array) => {
    const decoded = decodeRelayFrame(frame)
    return decoded.kind === 'answer' && names.includes(decoded.name)
  }

describe('what is sent', () => {
  test('[APP-2.1] goes out in the order in which it was written, once', async ({ started: { app, page }, bot }) => {
    const chat = await meet(page, bot)
    const texts = numbered(10)
    await Promise.all(texts.map(text => page.call('send', { chat, text })))
    await expect.poll(() => heardBy(bot, app)).toEqual(texts)
  })

  test('[APP-2.2] is in the history or in the queue, at every moment and never in both', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const history = page.watch('history', chat, { at: 'end' }, 50)
    const outgoing = page.watch('outgoing', chat)
    const texts = numbered(8)
    const queued = () => outgoing.value.map(({ body }) => (body.kind === 'text' ? body.text : ''))
    const written = () => history.value.rows.flatMap(row => (row.kind === 'message' ? [row.message.text ?? ''] : []))
    app.wire.cut()
    await Promise.all(texts.map(text => page.call('send', { chat, text })))
    await expect.poll(queued).toEqual(texts)
    const shown: string[][] = []
    page.onShown = () => void shown.push([...written(), ...queued()])
    app.wire.mend()
    await expect.poll(written).toEqual(texts)
    expect(shown.length).toBeGreaterThan(texts.length)
    for (const both of shown) expect(both).toEqual(texts)
    expect(heardBy(bot, app)).toEqual(texts)
  })

  test('[APP-2.3] while there is no connection waits, and goes out once when it is back', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const outgoing = page.watch('outgoing', chat)
    app.wire.cut()
    await page.call('send', { chat, text: 'from the tunnel' })
    await expect.poll(() => outgoing.value.map(({ state }) => state)).toEqual([{ kind: 'waiting' }])
    app.wire.mend()
    await expect.poll(() => heardBy(bot, app)).toEqual(['from the tunnel'])
    await expect.poll(() => outgoing.value).toEqual([])
  })

  test('[APP-2.19] at once is under way from the first, and the list says nothing of it', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const outgoing = page.watch('outgoing', chat)
    const states: string[] = []
    const waiting: number[] = []
    page.onShown = () => {
      states.push(...outgoing.value.map(({ state }) => state.kind))
      waiting.push(
        ...app.account.outgoing
          .counts()
          .keys()
          .map(() => 1),
      )
    }
    await page.call('send', { chat, text: 'quick' })
    await bot.hears('quick')
    await expect.poll(() => outgoing.value).toEqual([])
    expect(new Set(states)).toEqual(new Set(['sending']))
    expect(waiting).toEqual([])
  })

  test('[APP-2.19] at once, but does not get on its way, waits like all others: it is kept, and can be taken back', async ({
    started: { app, page },
    world,
    bot,
  }) => {
    const chat = await meet(page, bot)
    const asked = page.call('send', { chat, text: 'slow' })
    // The connection ends while it is being stored.
    app.wire.cut()
    await asked
    await expect.poll(() => app.account.outgoing.in(chat).map(({ state }) => state.kind)).toEqual(['waiting'])
    const directory = join(world.directory, 'killed')
    cpSync(app.directory, directory, { recursive: true })
    const wire = new Wire()
    wire.cut()
    const next = new TestApp(world, { directory, wire })
    await next.host.home.start()
    try {
      expect(next.account.outgoing.in(chat).map(({ body }) => body)).toEqual([{ kind: 'text', text: 'slow' }])
    } finally {
      await next.host.home.stop()
    }
    await page.call('takeBack', { outgoing: app.account.outgoing.in(chat)[0]?.key ?? '' })
    app.wire.mend()
    await page.call('send', { chat, text: 'next' })
    await bot.hears('next')
    expect(heardBy(bot, app)).toEqual(['next'])
  })

  test('[APP-2.4] and asked again under its key is sent once', async ({ started: { app, page }, bot }) => {
    const chat = await meet(page, bot)
    await page.call('send', { chat, text: 'once' }, 'k1')
    await page.call('send', { chat, text: 'once' }, 'k1')
    await expect.poll(() => heardBy(bot, app)).toEqual(['once'])
    await expect.poll(() => app.account.outgoing.in(chat)).toEqual([])
    await page.call('send', { chat, text: 'once' }, 'k1')
    await page.call('send', { chat, text: 'last' })
    await expect.poll(() => heardBy(bot, app)).toEqual(['once', 'last'])
  })

  test('[APP-2.5] survives a worker that is killed amid it: each once, in order', async ({
    started: { app, page },
    world,
    bot,
  }) => {
    const chat = await meet(page, bot)
    const texts = numbered(20)
    await Promise.all(texts.map(text => page.call('send', { chat, text })))
    await expect.poll(() => heardBy(bot, app).length).toBeGreaterThan(4)
    app.wire.cut()
    // The disk after a kill: everything committed, and nothing tidied up.
    const directory = join(world.directory, 'killed')
    cpSync(app.directory, directory, { recursive: true })
    await app.host.home.stop()
    const { app: next } = await TestApp.begin(world, { directory, wire: new Wire() })
    try {
      await expect.poll(() => heardBy(bot, next)).toEqual(texts)
      await expect.poll(() => next.account.outgoing.in(chat)).toEqual([])
    } finally {
      await next.host.home.stop()
    }
  })

  test('[APP-2.6] and whose answer was lost is found out, and is not sent twice', async ({ world, clock, bot }) => {
    const { app, page } = await TestApp.begin(world, { clock })
    try {
      const chat = await passTime(clock, meet(page, bot))
      const outgoing = page.watch('outgoing', chat)
      // It is not reported afterwards either.
      const isAnswer = isAnswerTo('appendMarked', 'outcome')
      app.wire.incoming = frame => (isAnswer(frame) ? [] : [frame])
      await page.call('send', { chat, text: 'heard or not?' })
      await bot.hears('heard or not?')
      await passTime(clock, expect.poll(() => outgoing.value.map(({ state }) => state.kind)).toEqual(['doubt']))
      await expect(page.call('takeBack', { outgoing: outgoing.value[0]?.key ?? '' })).rejects.toThrow(
        'outgoing-under-way',
      )
      app.wire.incoming = frame => [frame]
      await passTime(clock, expect.poll(() => outgoing.value).toEqual([]))
      await passTime(clock, page.call('send', { chat, text: 'next' }))
      await passTime(clock, bot.hears('next'))
      expect(heardBy(bot, app)).toEqual(['heard or not?', 'next'])
    } finally {
      await app.host.home.stop()
    }
  })

  test('[APP-2.7] and is in doubt for a day is not sent again by itself, but when the person says so', async ({
    world,
    clock,
    bot,
  }) => {
    const { app, page } = await TestApp.begin(world, { clock })
    try {
      const chat = await passTime(clock, meet(page, bot))
      const outgoing = page.watch('outgoing', chat)
      const isAppend = (frame: Uint8Array) => {
        const decoded = decodeClientFrame(frame)
        return decoded.kind === 'call' && decoded.name === 'appendMarked'
      }
      app.wire.outgoing = frame => (isAppend(frame) ? [] : [frame])
      await page.call('send', { chat, text: 'lost' })
      await passTime(clock, expect.poll(() => outgoing.value.map(({ state }) => state.kind)).toEqual(['doubt']))
      app.wire.cut()
      clock.leap(DAY_MS)
      app.wire.mend()
      app.wire.outgoing = frame => [frame]
      await passTime(clock, expect.poll(() => outgoing.value.map(({ state }) => state.kind)).toEqual(['refused']))
      expect(heardBy(bot, app)).toEqual([])
      await passTime(clock, page.call('retry', { outgoing: outgoing.value[0]?.key ?? '' }))
      await passTime(clock, expect.poll(() => heardBy(bot, app)).toEqual(['lost']))
    } finally {
      await app.host.home.stop()
    }
  })
})

describe('what is refused', () => {
  test('[APP-2.8] stops those behind it in its chat, and no other chat, until it is deleted', async ({
    started: { app, page },
    bot,
    bob,
  }) => {
    const chat = await meet(page, bot)
    const other = await meet(page, bob)
    const outgoing = page.watch('outgoing', chat)
    await page.call('send', { chat, text: 'x'.repeat(5000) })
    await page.call('send', { chat, text: 'behind it' })
    await page.call('send', { chat: other, text: 'beside it' })
    await bob.hears('beside it')
    await expect.poll(() => outgoing.value.map(({ state }) => state.kind)).toEqual(['refused', 'waiting'])
    const [refused] = outgoing.value
    expect(refused?.state).toMatchObject({ fault: { code: 'bad-field' } })
    expect(page.watch('chats').value.find(({ id }) => id === chat)).toMatchObject({ waiting: 2, refused: true })
    await page.call('takeBack', { outgoing: refused?.key ?? '' })
    await expect.poll(() => heardBy(bot, app)).toEqual(['behind it'])
  })

  test('[APP-2.9] is tried again when the person says so, and keeps its place', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const outgoing = page.watch('outgoing', chat)
    await page.call('block', { account: bot.id })
    await page.call('send', { chat, text: 'first' })
    await page.call('send', { chat, text: 'second' })
    await expect.poll(() => outgoing.value.map(({ state }) => state.kind)).toEqual(['refused', 'waiting'])
    await page.call('unblock', { account: bot.id })
    await page.call('retry', { outgoing: outgoing.value[0]?.key ?? '' })
    await expect.poll(() => heardBy(bot, app)).toEqual(['first', 'second'])
  })
})

describe('what waits', () => {
  test('[APP-2.10] can be taken back, also behind others, and is never sent', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const outgoing = page.watch('outgoing', chat)
    app.wire.cut()
    for (const text of ['one', 'two', 'three']) await page.call('send', { chat, text })
    await expect.poll(() => outgoing.value.length).toBe(3)
    await page.call('takeBack', { outgoing: outgoing.value[1]?.key ?? '' })
    app.wire.mend()
    await expect.poll(() => heardBy(bot, app)).toEqual(['one', 'three'])
    await expect(page.call('takeBack', { outgoing: 'no such' })).rejects.toThrow('outgoing-unknown')
  })

  test('[APP-2.11] has a limit, past which no more is taken', async ({ started: { app, page }, bot }) => {
    const chat = await meet(page, bot)
    app.wire.cut()
    const texts = numbered(appLimits.outgoingMax)
    await Promise.all(texts.map(text => page.call('send', { chat, text })))
    await expect(page.call('send', { chat, text: 'one more' })).rejects.toThrow('outgoing-full')
    expect(app.account.outgoing.in(chat)).toHaveLength(appLimits.outgoingMax)
  })
})
