// Metadata of blobs.
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

  test('[RELAY-1.53] a blob with a lifetime is past its time so long after it is complete, by the clock and not by ages', async () => {
    const world = get()
    const [alice] = await world.people()
    const blob = blobId()
    const given = { owner: alice, size: 10, tokenHash: randomBytes(32), nowMs: world.nowMs }
    await world.store.beginBlob(blob, { ...given, lifetimeMs: 600_000 })
    expect((await world.store.getBlob(blob))?.expiresMs).toBeUndefined()
    await world.store.finishBlob(blob, { size: 10, nowMs: world.nowMs + 5000 })
    expect((await world.store.getBlob(blob))?.expiresMs).toBe(world.nowMs + 605_000)
    await world.store.noteClockSet({ byMs: 3_600_000, nowMs: world.nowMs })
    expect(await world.store.expiredBlobs(world.nowMs + 604_999, 10)).toEqual([])
    expect(await world.store.expiredBlobs(world.nowMs + 605_000, 10)).toEqual([blob])
    expect(await world.store.expiredBlobs(world.nowMs + 90 * DAY_MS, 10)).toEqual([blob])
  })

  test('[RELAY-1.54] of those who claim a blob at once, as many have it as its owner allows, however often each asks', async () => {
    const world = get()
    const [alice] = await world.people()
    const blob = blobId()
    const given = { owner: alice, size: 10, tokenHash: randomBytes(32), nowMs: world.nowMs }
    const [open, unfinished] = [blobId(), blobId()]
    for (const other of [open, unfinished])
      await world.store.beginBlob(other, { ...given, ...(other !== open && { fetches: 2 }) })
    await world.store.beginBlob(blob, { ...given, fetches: 2 })
    const fetchers = Array.from({ length: 5 }, () => randomBytes(32))
    const ask = (how: 'claim' | 'look', at = blob) =>
      Promise.all(fetchers.map(fetcher => world.store.claimFetch(at, { fetcher, how })))
    const count = (answers: string[]) => answers.filter(answer => answer === 'yours').length
    expect(count(await ask('claim', unfinished))).toBe(0)
    await world.store.finishBlob(blob, { size: 10, nowMs: world.nowMs })
    await world.store.finishBlob(open, { size: 10, nowMs: world.nowMs })
    expect(count(await ask('claim', open))).toBe(0)
    expect(count(await ask('look'))).toBe(0)
    const twice = await Promise.all([ask('claim'), ask('claim')])
    expect(twice.map(count)).toEqual([2, 2])
    expect(await ask('claim')).toEqual(twice[0])
    expect(await ask('look')).toEqual(twice[0])
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
    // A complete blob was uploaded, and stays counted.
    await world.store.forgetBlob(finished, 30)
    expect(await refused(51)).toBe('rate-limited')
    const overnight = await begin(50)
    world.nowMs += DAY_MS
    await begin(60)
    await world.store.forgetBlob(overnight, 0)
    expect(await refused(41)).toBe('rate-limited')
    await begin(40)
  })

  const begun = async () => {
    const world = get()
    const [alice] = await world.people()
    const blob = blobId()
    await world.store.beginBlob(blob, { owner: alice, size: 99, tokenHash: randomBytes(32), nowMs: world.nowMs })
    return { store: world.store, parts: world.store.blobParts, blob, nowMs: world.nowMs }
  }
  const piece = (number: number, size: number) => ({
    number,
    kind: 'piece' as const,
    size,
    tag: `piece-${number}-${size}`,
  })
  const part = (number: number, size: number) => ({ number, kind: 'part' as const, size, tag: '"same"' })

  test('[RELAY-1.46] of two who add a part behind the same one, the first is in, and the other is told', async () => {
    const { parts, blob } = await begun()
    expect(await parts.of(blob)).toEqual({ upload: undefined, parts: [] })
    const both = [piece(1, 10), piece(1, 20)] as const
    const outcomes = await Promise.all(both.map(each => parts.add(blob, { part: each, from: 1, after: undefined })))
    expect(outcomes.toSorted()).toEqual(['added', 'overtaken'])
    const [first, second] = outcomes[0] === 'added' ? both : [both[1], both[0]]
    expect((await parts.of(blob)).parts).toEqual([first])
    expect(await parts.add(blob, { part: piece(2, 5), from: 2, after: second })).toBe('overtaken')
    expect(await parts.add(blob, { part: piece(2, 5), from: 2, after: first })).toBe('added')
    // Joined, they are one part in the same place.
    expect(await parts.add(blob, { part: part(1, 15), from: 1, after: piece(2, 5) })).toBe('added')
    expect(await parts.add(blob, { part: part(2, 15), from: 2, after: part(1, 15) })).toBe('added')
    expect(await parts.add(blob, { part: part(2, 15), from: 2, after: part(1, 15) })).toBe('overtaken')
    expect((await parts.of(blob)).parts).toEqual([part(1, 15), part(2, 15)])
  })

  test('[RELAY-1.46] one upload counts, the first that was named, and no number is given out twice', async () => {
    const { parts, blob } = await begun()
    const claimed = await Promise.all([parts.claim(blob, 'one'), parts.claim(blob, 'two'), parts.claim(blob, 'one')])
    const { upload } = await parts.of(blob)
    expect(['one', 'two']).toContain(upload)
    expect(claimed.map(each => each?.upload)).toEqual([upload, upload, upload])
    expect(new Set(claimed.map(each => each?.number))).toEqual(new Set([1, 2, 3]))
    expect(await parts.claim(blobId(), 'three')).toBeUndefined()
  })

  test('[RELAY-1.46] a blob that is complete, forgotten or unknown has no parts and gets none', async () => {
    for (const end of ['finish', 'forget', 'none'] as const) {
      const { store, parts, blob, nowMs } = await begun()
      const gone = end === 'none' ? blobId() : blob
      await parts.claim(blob, 'one')
      await parts.add(blob, { part: piece(1, 10), from: 1, after: undefined })
      if (end === 'finish') await store.finishBlob(blob, { size: 10, nowMs })
      if (end === 'forget') await store.forgetBlob(blob, 10)
      expect(await parts.of(gone)).toEqual({ upload: undefined, parts: [] })
      expect(await parts.claim(gone, 'two')).toBeUndefined()
      for (const after of [undefined, piece(1, 10)])
        expect(await parts.add(gone, { part: piece(2, 10), from: 2, after })).toBe('overtaken')
      expect(await parts.of(gone)).toEqual({ upload: undefined, parts: [] })
    }
  })
}
