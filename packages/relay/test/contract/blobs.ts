// What is known about blobs.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RelayStore } from '../../src/store/relay-store.ts'
import { newGroupId } from '../test-client.ts'
import { codeOf, DAY_MS, type Get, type Reopen } from './world.ts'

export function blobRules(get: Get, reopen: Reopen): void {
  const blobId = () => newGroupId() as string as Parameters<RelayStore['getBlob']>[0]

  test('[R27] a blob is its owner’s, and complete when it is finished', async () => {
    const world = get()
    const [alice] = await world.people()
    const blob = blobId()
    const tokenHash = randomBytes(32)
    await world.store.beginBlob(blob, { owner: alice, size: 10, tokenHash, nowMs: world.nowMs })
    expect(await world.store.getBlob(blob)).toEqual({ owner: alice, size: 10, tokenHash, state: 'uploading' })
    await world.store.finishBlob(blob, world.nowMs)
    expect((await world.store.getBlob(blob))?.state).toBe('complete')
    await world.store.forgetBlob(blob)
    expect(await world.store.getBlob(blob)).toBeUndefined()
    expect(await codeOf(world.store.finishBlob(blob, world.nowMs))).toBe('blob-unknown')
  })

  test('[R27] unfinished for a day, or complete for thirty, a blob is past its time', async () => {
    const world = get()
    const [alice] = await world.people()
    const [unfinished, complete] = [blobId(), blobId()]
    const given = { owner: alice, size: 10, tokenHash: randomBytes(32), nowMs: world.nowMs }
    await world.store.beginBlob(unfinished, given)
    await world.store.beginBlob(complete, given)
    await world.store.finishBlob(complete, world.nowMs)
    const after = (ms: number) => world.store.expiredBlobs(world.nowMs + ms, 10)
    expect(await after(DAY_MS)).toEqual([])
    expect(await after(DAY_MS + 1)).toEqual([unfinished])
    expect(await after(30 * DAY_MS + 1)).toEqual([unfinished, complete])
    expect(await world.store.expiredBlobs(world.nowMs + 31 * DAY_MS, 1)).toHaveLength(1)
  })

  test('[R25] blobs of a day are bounded in bytes and in number', async () => {
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
}
