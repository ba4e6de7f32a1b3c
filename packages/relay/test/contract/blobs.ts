// What is known about blobs.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RelayStore } from '../../src/store/relay-store.ts'
import { newGroupId } from '../test-client.ts'
import { codeOf, DAY_MS, type Get, type Reopen } from './world.ts'

export function blobRules(get: Get, reopen: Reopen): void {
  const blobId = () => newGroupId() as string as Parameters<RelayStore['getBlob']>[0]

  test('[RELAY-1.34] a blob is its owner’s, and complete when it is finished', async () => {
    const world = get()
    const [alice] = await world.people()
    const blob = blobId()
    const tokenHash = randomBytes(32)
    await world.store.beginBlob(blob, { owner: alice, size: 10, tokenHash, nowMs: world.nowMs })
    expect(await world.store.getBlob(blob)).toEqual({ owner: alice, size: 10, tokenHash, state: 'uploading' })
    await world.store.finishBlob(blob, { size: 7, nowMs: world.nowMs })
    expect(await world.store.getBlob(blob)).toEqual({ owner: alice, size: 7, tokenHash, state: 'complete' })
    await world.store.finishBlob(blob, { size: 5, nowMs: world.nowMs })
    expect((await world.store.getBlob(blob))?.size).toBe(7)
    await world.store.forgetBlob(blob, 7)
    expect(await world.store.getBlob(blob)).toBeUndefined()
    expect(await codeOf(world.store.finishBlob(blob, { size: 7, nowMs: world.nowMs }))).toBe('blob-unknown')
  })

  test('[RELAY-1.34] unfinished for a day, or complete for thirty, a blob is past its time', async () => {
    const world = get()
    const [alice] = await world.people()
    const [unfinished, complete] = [blobId(), blobId()]
    const given = { owner: alice, size: 10, tokenHash: randomBytes(32), nowMs: world.nowMs }
    await world.store.beginBlob(unfinished, given)
    await world.store.beginBlob(complete, given)
    await world.store.finishBlob(complete, { size: 10, nowMs: world.nowMs })
    const after = (ms: number) => world.store.expiredBlobs(world.nowMs + ms, 10)
    expect(await after(DAY_MS)).toEqual([])
    expect(await after(DAY_MS + 1)).toEqual([unfinished])
    expect(await after(30 * DAY_MS + 1)).toEqual([unfinished, complete])
    expect(await world.store.expiredBlobs(world.nowMs + 31 * DAY_MS, 1)).toHaveLength(1)
  })

  test('[RELAY-1.29] blobs of a day are bounded in bytes and in number', async () => {
    const world = await reopen({ blobsPerDayBytesMax: 100, blobsPerDayMax: 3 })
    const [alice] = await world.people()
    const begin = (size: number) =>
      codeOf(world.store.beginBlob(blobId(), { owner: alice, size, tokenHash: randomBytes(32), nowMs: world.nowMs }))
    expect(await begin(60)).toBe('no error')
    expect(await begin(60)).toBe('rate-limited')
    expect(await begin(20)).toBe('no error')
    expect(await begin(10)).toBe('no error')
    expect(await begin(1)).toBe('rate-limited')
    world.nowMs += DAY_MS
    expect(await begin(60)).toBe('no error')
  })

  test('[RELAY-1.35] what was announced and did not come is given back to the day, once', async () => {
    const world = await reopen({ blobsPerDayBytesMax: 100 })
    const [alice] = await world.people()
    const begin = async (size: number) => {
      const blob = blobId()
      await world.store.beginBlob(blob, { owner: alice, size, tokenHash: randomBytes(32), nowMs: world.nowMs })
      return blob
    }
    const refused = (size: number) => codeOf(begin(size))
    const finished = await begin(100)
    expect(await refused(1)).toBe('rate-limited')
    await world.store.finishBlob(finished, { size: 30, nowMs: world.nowMs })
    await world.store.finishBlob(finished, { size: 30, nowMs: world.nowMs })
    expect(await refused(71)).toBe('rate-limited')
    const cut = await begin(70)
    await world.store.forgetBlob(cut, 20)
    await world.store.forgetBlob(cut, 20)
    expect(await refused(51)).toBe('rate-limited')
    // A complete one was uploaded, and stays counted.
    await world.store.forgetBlob(finished, 30)
    expect(await refused(51)).toBe('rate-limited')
    const overnight = await begin(50)
    world.nowMs += DAY_MS
    await begin(60)
    await world.store.forgetBlob(overnight, 0)
    expect(await refused(41)).toBe('rate-limited')
    await begin(40)
  })
}
