// Messages that wait to be sent when the account is copied, for another device or into a backup: two could send them,
// and each arrives once.
import { join } from 'node:path'
import type { ChatId } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import type { TestPerson, Wire, World } from '@postern/testkit'
import { describe, expect, onTestFinished } from 'vitest'
import { test as base } from './app-fixtures.ts'
import { heardBy, meet, TestApp, type TestPage } from './app-world.ts'

/** Messages do not leave until they are released; everything else does. */
function holdMessages(wire: Wire): () => void {
  const held: Uint8Array[] = []
  wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'appendMarked') return [bytes]
    held.push(bytes.slice())
    return []
  }
  return () => {
    wire.outgoing = bytes => [bytes]
    for (const frame of held) wire.say(frame)
  }
}

async function movedIn(world: World, code: string): Promise<{ app: TestApp; page: TestPage }> {
  const app = new TestApp(world, { directory: join(world.directory, 'another') })
  onTestFinished(() => app.host.home.stop())
  await app.host.home.start()
  const page = app.page()
  await page.call('moveIn', { code, fetchToken: 'a'.repeat(43) })
  return { app, page }
}

const test = base
  /** The first is on its way when the account is copied, the second waits behind it. */
  .extend('moving', async ({ started: { app, page }, bob }) => {
    const chat = await meet(page, bob)
    await page.call('send', { chat, text: 'zero' })
    await bob.hears('zero')
    const letGo = holdMessages(app.wire)
    await page.call('send', { chat, text: 'first' })
    await page.call('send', { chat, text: 'second' })
    const outgoing = page.watch('outgoing', chat)
    await expect.poll(() => outgoing.value.map(({ state }) => state.kind)).toEqual(['sending', 'waiting'])
    const { code } = await page.call('moveOut', {})
    return { chat, code, letGo, outgoing }
  })

const ALL = ['zero', 'first', 'second']

/** Once the last has arrived, all earlier ones have. */
async function hearsAll(
  page: TestPage,
  chat: ChatId,
  { bob, app }: { bob: TestPerson; app: TestApp },
): Promise<string[]> {
  await page.call('send', { chat, text: 'last' })
  await bob.hears('last')
  return heardBy(bob, app)
}

describe('what waits when the account moves', () => {
  test('[APP-5.12] arrives once when the old device sends it first, and stands in the history of the new one', async ({
    world,
    bob,
    app,
    moving: { chat, code, letGo, outgoing },
  }) => {
    letGo()
    await bob.hears('second')
    await expect.poll(() => outgoing.value).toEqual([])
    const { app: next, page } = await movedIn(world, code)
    expect(await hearsAll(page, chat, { bob, app: next })).toEqual([...ALL, 'last'])
    await expect.poll(() => page.watch('outgoing', chat).value).toEqual([])
    const { rows } = page.watch('history', chat, { at: 'end' }, 50).value
    const texts = rows.flatMap(row => (row.kind === 'message' ? (row.message.text ?? []) : []))
    expect(texts).toEqual([...ALL, 'last'])
    expect(app.host.home.stage).toEqual({ kind: 'elsewhere' })
    await next.host.home.stop()
  })

  test('[APP-5.12] arrives once when the new device sends it, and the old one is used again', async ({
    world,
    bob,
    app,
    page: old,
    moving: { chat, code, letGo },
  }) => {
    const { app: next } = await movedIn(world, code)
    await bob.hears('second')
    await expect.poll(() => app.host.home.stage).toEqual({ kind: 'elsewhere' })
    await next.host.home.stop()
    letGo()
    await old.call('useHere', {})
    expect(await hearsAll(old, chat, { bob, app })).toEqual([...ALL, 'last'])
  })

  test('[APP-5.12] is sent by the old device when the new one never comes', async ({
    bob,
    app,
    page,
    moving: { chat, letGo },
  }) => {
    letGo()
    expect(await hearsAll(page, chat, { bob, app })).toEqual([...ALL, 'last'])
  })
})

describe('what waited when a full backup was saved', () => {
  const restored = test.extend('restored', async ({ app, page, bob, world }, { onCleanup }) => {
    const chat = await meet(page, bob)
    const letGo = holdMessages(app.wire)
    for (const text of ['first', 'second']) await page.call('send', { chat, text })
    const { words } = await page.call('newWords', {})
    const { file } = await page.call('backupFile', { words })
    letGo()
    await bob.hears('second')
    await app.host.home.stop()
    const next = new TestApp(world, { directory: join(world.directory, 'another') })
    onTestFinished(() => next.host.home.stop())
    onCleanup(() => next.host.home.stop())
    await next.host.home.start()
    const there = next.page()
    expect(await there.call('restore', { file, words })).toEqual({ kind: 'backup' })
    await next.online()
    return { next, there, chat }
  })

  restored(
    '[APP-5.13] is not sent by itself: each message waits for a word of the person',
    async ({ bob, restored: { next, there, chat } }) => {
      const outgoing = there.watch('outgoing', chat)
      const codes = () => outgoing.value.map(({ state }) => (state.kind === 'refused' ? state.fault.code : state.kind))
      await expect.poll(codes).toContain('outgoing-from-backup')
      expect(codes()).not.toContain('waiting')
      for (const { key } of outgoing.value) await there.call('takeBack', { outgoing: key })
      expect(await hearsAll(there, chat, { bob, app: next })).toEqual(['first', 'second', 'last'])
    },
  )

  restored(
    '[APP-5.13] sent again by the person it still arrives once',
    async ({ bob, restored: { next, there, chat } }) => {
      const outgoing = there.watch('outgoing', chat)
      for (const { key } of outgoing.value) await there.call('retry', { outgoing: key })
      await expect.poll(() => outgoing.value).toEqual([])
      expect(await hearsAll(there, chat, { bob, app: next })).toEqual(['first', 'second', 'last'])
    },
  )
})
