// Streams whose small pieces are gathered: nothing is lost, added or swapped, however they come and end.
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concatBytes, copyBytes, GATHERED_BYTES, GatheredBytes } from '../src/index.ts'

const SOCKET_PIECE_BYTES = 64 * 1024

const streamOf = (pieces: Uint8Array[]): Readable =>
  Readable.from(
    pieces.map(piece => copyBytes(piece)),
    { objectMode: false },
  )

async function gather(stream: Readable): Promise<Uint8Array[]> {
  const gathered = new GatheredBytes(stream, setImmediate)
  const pieces: Uint8Array[] = []
  for (let next = await gathered.next(); !next.done; next = await gathered.next()) pieces.push(copyBytes(next.value))
  return pieces
}

const pieces = (count: number, length: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => new Uint8Array(length).fill(index + 1))

describe('gathered bytes', () => {
  test('[PROTOCOL-2.4] are those that came, whatever their pieces', async () => {
    const some = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(some, async given => {
        expect(concatBytes(...(await gather(streamOf(given))))).toEqual(concatBytes(...given))
      }),
      { numRuns: 50 },
    )
  })

  test('[PROTOCOL-2.4] come in pieces that are large, but not larger than they may be', async () => {
    const given = pieces(40, SOCKET_PIECE_BYTES)
    const gathered = await gather(streamOf(given))
    expect(Buffer.compare(Buffer.concat(gathered), Buffer.concat(given))).toBe(0)
    for (const { length } of gathered) expect(length).toBeLessThan(GATHERED_BYTES + SOCKET_PIECE_BYTES)
  })

  test('[PROTOCOL-2.4] a piece larger than any is taken whole', async () => {
    const given = pieces(3, 3 * GATHERED_BYTES)
    expect(Buffer.compare(Buffer.concat(await gather(streamOf(given))), Buffer.concat(given))).toBe(0)
  })

  test('[PROTOCOL-2.4] who is not asked for more takes in no more', async () => {
    let given = 0
    const endless = new Readable({
      read() {
        given += SOCKET_PIECE_BYTES
        this.push(new Uint8Array(SOCKET_PIECE_BYTES))
      },
    })
    const gathered = new GatheredBytes(endless, setImmediate)
    await gathered.next()
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    expect(given).toBeLessThan(4 * GATHERED_BYTES)
    endless.destroy()
  })

  test('[PROTOCOL-2.4] what came before a stream broke off is given, and then it throws', async () => {
    const stream = new Readable({ read() {} })
    const gathered = new GatheredBytes(stream, setImmediate)
    stream.push(Uint8Array.of(1, 2))
    expect((await gathered.next()).value).toEqual(Uint8Array.of(1, 2))
    const next = gathered.next()
    stream.destroy()
    await expect(next).rejects.toThrow('cut off')
    await expect(new GatheredBytes(stream, setImmediate).next()).rejects.toThrow('cut off')
  })

  test('[PROTOCOL-2.4] a stream that was left is read on by others', async () => {
    const stream = new Readable({ read() {} })
    const gathered = new GatheredBytes(stream, setImmediate)
    stream.push(Uint8Array.of(1))
    await gathered.next()
    await gathered.return()
    expect((await gathered.next()).done).toBe(true)
    const came = new Promise(resolve => stream.once('data', resolve))
    stream.resume()
    stream.push(Uint8Array.of(2))
    expect(await came).toEqual(Buffer.of(2))
    expect(stream.destroyed).toBe(false)
  })
})
