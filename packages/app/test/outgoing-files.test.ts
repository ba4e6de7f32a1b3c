// Files in the queue: on the disk before anything is confirmed, sent once, and gone when nobody sends them.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ChatId, CodedError, Deferred } from '@postern/protocol'
import { type TestPerson, Wire, type World } from '@postern/testkit'
import { describe, expect, vi } from 'vitest'
import type { OutgoingState } from '../src/contract/objects.ts'
import { test } from './app-fixtures.ts'
import { type AppOptions, heardBy, meet, TestApp } from './app-world.ts'

const file = { name: 'song.bin', type: 'application/octet-stream', size: 700_000, kind: 'file' as const }
const content = new Uint8Array(file.size).map((_, at) => at % 251)
const bytes = () => new Blob([content])

const filesIn = (directory: string): string[] =>
  existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap(nameOf) : []
const nameOf = (entry: { isFile(): boolean; name: string }): string[] => (entry.isFile() ? [entry.name] : [])

const laidDown = (directory: string): string[] => filesIn(join(directory, 'files'))
const atRelay = (world: World): string[] => filesIn(join(world.directory, 'relay', 'blobs'))

/** Uploads begin, and no byte of them ever arrives. */
const stuckBlobs: NonNullable<AppOptions['connectBlobs']> = () => {
  const never = async ({ signal }: { signal: AbortSignal }): Promise<never> => {
    const wait = new Deferred<never>()
    wait.onAbort(signal, () => wait.reject(new CodedError('relay-unreachable')))
    return await wait.promise
  }
  return {
    upload: (_ticket, piece) => never(piece),
    standing: (_ticket, signal) => never({ signal }),
    download: (_blob, wanted) => never(wanted),
    close: () => undefined,
  }
}

/** The bytes of the file that the bot has under these words. */
async function contentHeard(bot: TestPerson, app: TestApp, text: string): Promise<Uint8Array> {
  const { id } = await bot.hears(text)
  const chat = app.account.client.account as string as ChatId
  const opened = await bot.client.files.open(chat, id, { timeoutMs: 10_000 })
  return new Uint8Array(Buffer.concat(await Array.fromAsync(opened.read())))
}

describe('a file', () => {
  test('[APP-2.12] goes out with its words, in its place among the others', async ({ started: { app, page }, bot }) => {
    const chat = await meet(page, bot)
    await page.call('sendFile', { chat, bytes: bytes(), file, text: 'listen' })
    await page.call('send', { chat, text: 'after it' })
    const heard = await bot.hears('listen')
    expect(heard.file).toMatchObject({ name: 'song.bin', size: file.size })
    await expect.poll(() => heardBy(bot, app)).toEqual(['listen', 'after it'])
    // Only the part that can be fetched again is left of it.
    await expect.poll(() => laidDown(app.directory).filter(name => name.endsWith('.stowed'))).toEqual([])
  })

  test('[APP-2.13] that waits is sent once by the next worker, byte for byte, after a kill', async ({
    started: { app, page },
    world,
    bot,
  }) => {
    const chat = await meet(page, bot)
    app.wire.cut()
    await page.call('sendFile', { chat, bytes: bytes(), file, text: 'listen' })
    const directory = join(world.directory, 'killed')
    cpSync(app.directory, directory, { recursive: true })
    await app.host.home.stop()
    const { app: next } = await TestApp.begin(world, { directory, wire: new Wire() })
    try {
      expect(await contentHeard(bot, next, 'listen')).toEqual(content)
      await expect.poll(() => next.account.outgoing.in(chat)).toEqual([])
      await next.account.client.messages.sendText(chat, { text: 'last' }, { timeoutMs: 10_000 })
      await bot.hears('last')
      expect(heardBy(bot, next)).toEqual(['listen', 'last'])
    } finally {
      await next.host.home.stop()
    }
  })

  test('[APP-2.13] whose worker is killed amid the upload arrives once', async ({ world, bot }) => {
    const { app, page } = await TestApp.begin(world, { connectBlobs: stuckBlobs })
    const chat = await meet(page, bot)
    const outgoing = page.watch('outgoing', chat)
    await page.call('sendFile', { chat, bytes: bytes(), file, text: 'listen' }, 'k1')
    await page.call('send', { chat, text: 'after it' })
    await expect.poll(() => outgoing.value[0]?.state.kind).toBe('sending')
    await expect.poll(() => laidDown(app.directory).some(name => name.endsWith('.part'))).toBe(true)
    const directory = join(world.directory, 'killed')
    cpSync(app.directory, directory, { recursive: true })
    await app.host.home.stop()
    const { app: next, page: again } = await TestApp.begin(world, { directory, wire: new Wire() })
    try {
      // The page has received no answer, and calls the next worker under the same key.
      await again.call('sendFile', { chat, bytes: bytes(), file, text: 'listen' }, 'k1')
      expect(await contentHeard(bot, next, 'listen')).toEqual(content)
      await expect.poll(() => heardBy(bot, next)).toEqual(['listen', 'after it'])
      await expect.poll(() => next.account.outgoing.in(chat)).toEqual([])
    } finally {
      await next.host.home.stop()
    }
  })

  test('[APP-2.14] that cannot be kept is refused at once, and nothing of it is left', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    app.wire.cut()
    const { files } = app.account.client
    const full = vi.spyOn(files, 'stow').mockRejectedValueOnce(new CodedError('storage-full'))
    await expect(page.call('sendFile', { chat, bytes: bytes(), file })).rejects.toThrow('storage-full')
    full.mockRestore()
    const gone = new (class extends Blob {
      override slice(): Blob {
        return Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new DOMException('', 'NotFoundError')) })
      }
    })([content])
    await expect(page.call('sendFile', { chat, bytes: gone, file })).rejects.toThrow('file-lost')
    expect(app.account.outgoing.in(chat)).toEqual([])
    expect(laidDown(app.directory)).toEqual([])
    expect(files.stowedNames()).toEqual([])
  })

  test('[APP-2.15] is not overtaken by what is written while it is being kept', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const outgoing = page.watch('outgoing', chat)
    const keeping = page.call('sendFile', { chat, bytes: bytes(), file, text: 'first' })
    await page.call('send', { chat, text: 'second' })
    expect(outgoing.value.map(({ body }) => body.kind)).toEqual(['file', 'text'])
    await keeping
    await expect.poll(() => heardBy(bot, app)).toEqual(['first', 'second'])
  })

  test('[APP-2.16] can be taken back while it waits and while it is being kept', async ({
    started: { app, page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    app.wire.cut()
    await page.call('sendFile', { chat, bytes: bytes(), file, text: 'waits' }, 'k1')
    await page.call('takeBack', { outgoing: 'k1' })
    const keeping = page.call('sendFile', { chat, bytes: bytes(), file, text: 'is kept' }, 'k2')
    await expect.poll(() => app.account.outgoing.in(chat).length).toBe(1)
    await page.call('takeBack', { outgoing: 'k2' })
    await keeping
    expect([app.account.outgoing.in(chat), laidDown(app.directory)]).toEqual([[], []])
    app.wire.mend()
    await page.call('send', { chat, text: 'next' })
    await expect.poll(() => heardBy(bot, app)).toEqual(['next'])
  })

  test('[APP-2.16] can be taken back amid its upload, and the next one goes out', async ({ world, bot }) => {
    const { app, page } = await TestApp.begin(world, { connectBlobs: stuckBlobs })
    try {
      const chat = await meet(page, bot)
      await page.call('sendFile', { chat, bytes: bytes(), file, text: 'never' }, 'k1')
      await page.call('send', { chat, text: 'next' })
      await expect.poll(() => app.account.outgoing.in(chat)[0]?.state.kind).toBe('sending')
      await page.call('takeBack', { outgoing: 'k1' })
      await expect.poll(() => heardBy(bot, app)).toEqual(['next'])
      await expect.poll(() => [laidDown(app.directory), atRelay(world)]).toEqual([[], []])
    } finally {
      await app.host.home.stop()
    }
  })

  test('[APP-2.18] says how much of it the relay was given, until its message is on its way', async ({
    started: { page },
    bot,
  }) => {
    const chat = await meet(page, bot)
    const outgoing = page.watch('outgoing', chat)
    const states: OutgoingState[] = []
    page.onShown = () => void states.push(...outgoing.value.map(({ state }) => state))
    await page.call('sendFile', { chat, bytes: bytes(), file, text: 'listen' })
    await bot.hears('listen')
    await expect.poll(() => outgoing.value).toEqual([])
    const sent = states.flatMap(state => (state.kind === 'sending' ? [state.sentBytes] : []))
    const counted = sent.filter(count => count !== undefined)
    expect(counted.at(-1)).toBe(file.size)
    expect(counted).toEqual(counted.toSorted((one, other) => one - other))
    expect(sent.slice(0, counted.length)).toEqual(counted)
  })

  test('[APP-2.17] that is not here any more is refused as lost, and can be deleted or chosen again', async ({
    started: { app, page },
    world,
    bot,
  }) => {
    const chat = await meet(page, bot)
    app.wire.cut()
    await page.call('sendFile', { chat, bytes: bytes(), file, text: 'one' }, 'k1')
    await app.host.home.stop()
    rmSync(join(app.directory, 'files'), { recursive: true })
    const { app: next, page: again } = await TestApp.begin(world)
    try {
      const outgoing = again.watch('outgoing', chat)
      await expect.poll(() => outgoing.value[0]?.state).toMatchObject({ kind: 'refused', fault: { code: 'file-lost' } })
      await again.call('takeBack', { outgoing: 'k1' })
      await expect.poll(() => outgoing.value).toEqual([])
      expect(next.account.client.files.stowedNames()).toEqual([])
    } finally {
      await next.host.home.stop()
    }
  })

  test('[APP-2.17] whose message is gone leaves nothing after a new start', async ({ started: { app }, world }) => {
    await app.account.client.files.stow('nobody', bytes().stream())
    await app.host.home.stop()
    const { app: next } = await TestApp.begin(world)
    try {
      await expect.poll(() => [next.account.client.files.stowedNames(), laidDown(next.directory)]).toEqual([[], []])
    } finally {
      await next.host.home.stop()
    }
  })
})
