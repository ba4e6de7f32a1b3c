// Moving to another device by a code: once, for ten minutes, and only after the person has seen whose account it is.
import { join } from 'node:path'
import { connectNodeBlobs, nodeFileCipher } from '@postern/core/node'
import { appLimits, type BlobId, blobIdFromBytes, CodedError } from '@postern/protocol'
import { passTime, type World } from '@postern/testkit'
import fc from 'fast-check'
import { describe, expect, onTestFinished } from 'vitest'
import { readMoveCode, writeMoveCode } from '../src/worker/account/move-code.ts'
import { test } from './app-fixtures.ts'
import { type AppOptions, meet, TestApp, type TestPage } from './app-world.ts'

type Device = { app: TestApp; page: TestPage }

/** A browser without an account. */
async function emptyDevice(world: World, name: string, options: AppOptions = {}): Promise<Device> {
  const app = new TestApp(world, { ...options, directory: join(world.directory, name) })
  onTestFinished(() => app.host.home.stop())
  await app.host.home.start()
  return { app, page: app.page() }
}

const by = (code: string, token: string) => ({ code, fetchToken: token.repeat(43).slice(0, 43) })

const blobOf = (code: string): BlobId => readMoveCode(nodeFileCipher, code).blob

const statusAt = async (world: World, code: string, token = 'z'): Promise<number> => {
  const url = new URL(`/blobs/${blobOf(code)}`, world.relayUrl.replace('ws', 'http'))
  return (await fetch(url, { headers: { 'Fetch-Token': by(code, token).fetchToken } })).status
}

describe('moving to another device', () => {
  test('[APP-5.9] shows whose account it is, then brings all of it there by its code alone', async ({
    started: { app, page },
    world,
    bob,
  }) => {
    const chat = await meet(page, bob)
    await page.call('send', { chat, text: 'before the move' })
    // Bob has it, and this device knows that.
    await expect.poll(() => app.account.outgoing.in(chat)).toEqual([])
    const { code } = await page.call('moveOut', {})
    expect(code).toMatch(/^[a-z2-7]{5}(-[a-z2-7]{5}){10}$/)
    const next = await emptyDevice(world, 'another')
    expect(await next.page.call('lookAtMove', by(code, 'a'))).toEqual({ name: 'alice' })
    expect([next.app.restored, next.app.host.home.stage]).toEqual([[], { kind: 'no-account' }])
    expect(app.host.home.stage).toEqual({ kind: 'open' })
    await next.page.call('moveIn', by(code, 'a'))
    expect(next.app.host.home.stage).toEqual({ kind: 'open' })
    const { rows } = next.page.watch('history', chat, { at: 'end' }, 50).value
    expect(JSON.stringify(rows)).toContain('before the move')
    await next.app.host.home.stop()
  })

  test('[APP-5.16] works for one device: another finds nothing, also while the first has not moved in', async ({
    page,
    world,
  }) => {
    const { code } = await page.call('moveOut', {})
    const [first, third] = [await emptyDevice(world, 'first'), await emptyDevice(world, 'third')]
    await first.page.call('lookAtMove', by(code, 'a'))
    await expect(third.page.call('lookAtMove', by(code, 'b'))).rejects.toThrow('move-code-used')
    await expect(third.page.call('moveIn', by(code, 'b'))).rejects.toThrow('move-code-used')
    expect([third.app.restored, third.app.host.home.stage]).toEqual([[], { kind: 'no-account' }])
    await first.page.call('moveIn', by(code, 'a'))
    await first.app.host.home.stop()
  })

  test('[APP-5.17] leaves nothing at the relay: the new device deletes the copy as soon as it is in', async ({
    page,
    world,
  }) => {
    const { code } = await page.call('moveOut', {})
    const next = await emptyDevice(world, 'another')
    await next.page.call('moveIn', by(code, 'a'))
    await next.app.online()
    // Also for the one who fetched it.
    await expect.poll(() => statusAt(world, code, 'a')).toBe(404)
    await next.app.host.home.stop()
  })

  test('[APP-5.18] is resumed where the line was cut, and by a worker that begins anew, with the same copy', async ({
    page,
    world,
  }) => {
    const { code } = await page.call('moveOut', {})
    const from: number[] = []
    const connectBlobs: NonNullable<AppOptions['connectBlobs']> = url => {
      const blobs = connectNodeBlobs(url)
      return {
        upload: (ticket, piece) => blobs.upload(ticket, piece),
        standing: (ticket, signal) => blobs.standing(ticket, signal),
        close: () => blobs.close(),
        download: async (blob, wanted) => {
          from.push(wanted.from)
          const { body, ...download } = await blobs.download(blob, wanted)
          return { ...download, body: from.length === 1 ? cutOff(body) : body }
        },
      }
    }
    const next = await emptyDevice(world, 'another', { connectBlobs })
    expect(await next.page.call('lookAtMove', by(code, 'a'))).toEqual({ name: 'alice' })
    expect(from).toEqual([0, expect.any(Number)])
    expect(from[1]).toBeGreaterThan(0)
    await next.app.host.home.stop()
    const again = await emptyDevice(world, 'another')
    await again.page.call('moveIn', by(code, 'a'))
    expect(again.app.host.home.stage).toEqual({ kind: 'open' })
    await again.app.host.home.stop()
  })

  test('[APP-5.10] by a code with a slip, or where there is an account, changes nothing and uses nothing up', async ({
    page,
    world,
  }) => {
    const { code } = await page.call('moveOut', {})
    await expect(page.call('moveIn', by(code, 'a'))).rejects.toThrow('account-exists')
    const next = await emptyDevice(world, 'another')
    const wrong = ['', 'a song', code.slice(1), `${code}a`, code.replace(/^./, first => (first === 'a' ? 'b' : 'a'))]
    for (const typed of wrong)
      await expect(next.page.call('lookAtMove', by(typed, 'a'))).rejects.toThrow('move-code-wrong')
    const { blob, seed } = readMoveCode(nodeFileCipher, code)
    const nowhere = writeMoveCode(nodeFileCipher, { blob: 'aaaaaaaaaaaaaaaaaaaaaaaaaa' as BlobId, seed })
    await expect(next.page.call('moveIn', by(nowhere, 'a'))).rejects.toThrow('move-code-used')
    // As it is typed: in capitals, with other separators.
    await next.page.call('lookAtMove', by(code.toUpperCase().replaceAll('-', ' '), 'a'))
    const other = writeMoveCode(nodeFileCipher, { blob, seed: seed.map(byte => byte ^ 1) })
    await expect(next.page.call('moveIn', by(other, 'a'))).rejects.toThrow('file-damaged')
    expect([next.app.restored, next.app.host.home.stage]).toEqual([[], { kind: 'no-account' }])
  })

  test('[APP-5.19] is off when the person takes the code back, or asks for another', async ({ page, world }) => {
    const { code: first } = await page.call('moveOut', {})
    const { code: second } = await page.call('moveOut', {})
    await expect.poll(() => statusAt(world, first)).toBe(404)
    await page.call('cancelMove', {})
    await expect.poll(() => statusAt(world, second)).toBe(404)
    const next = await emptyDevice(world, 'another')
    await expect(next.page.call('lookAtMove', by(second, 'a'))).rejects.toThrow('move-code-used')
    await page.call('cancelMove', {})
  })
})

/** Some of it, and then the connection is lost. */
async function* cutOff(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isCut = false
  for await (const piece of body) {
    if (isCut) throw new CodedError('relay-unreachable')
    yield piece.subarray(0, 1000)
    isCut = true
  }
  throw new CodedError('relay-unreachable')
}

test('[APP-5.20] A code is read as it is typed, and none is taken for another', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  fc.assert(
    fc.property(bytes(16), bytes(16), (seed, id) => {
      const named = { blob: blobIdFromBytes(id), seed: new Uint8Array(seed) }
      const code = writeMoveCode(nodeFileCipher, named)
      const typed = code
        .toUpperCase()
        .replaceAll('-', ' ')
        .replaceAll('O', '0')
        .replaceAll('L', '1')
        .replaceAll('B', '8')
      expect(readMoveCode(nodeFileCipher, typed)).toEqual(named)
    }),
  )
  fc.assert(
    fc.property(fc.string(), text => {
      expect(() => readMoveCode(nodeFileCipher, text)).toThrow()
    }),
  )
})

const timed = test.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

timed('[APP-5.11] after ten minutes the relay has no copy, whatever the old device does', async ({ world, clock }) => {
  const { app, page } = await TestApp.begin(world, { clock })
  const { code } = await passTime(clock, page.call('moveOut', {}))
  await app.host.home.stop()
  clock.advance(appLimits.moveKeptMs)
  expect(await statusAt(world, code)).toBe(404)
})
