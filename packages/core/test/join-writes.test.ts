// Frames of SQLite's log that are written together: whatever is accessed in between, and whatever fails, each read is
// as if they were not joined.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinFrameWrites } from '../src/storage/sqlite/join-writes-browser.ts'
import type { AccessHandle } from '../src/storage/sqlite/opfs-browser.ts'

const HEAD = 24
const PAGE = 64

/** A file in memory, like a browser's handle. Each has a prototype of its own, because the prototype is patched. */
function newFile() {
  class File implements AccessHandle {
    bytes = new Uint8Array()
    calls = 0
    flushed = 0
    isFull = false

    write(bytes: Uint8Array, { at }: { at: number }): number {
      this.calls++
      if (this.isFull) throw new DOMException('no room', 'QuotaExceededError')
      const larger = new Uint8Array(Math.max(this.bytes.length, at + bytes.length))
      larger.set(this.bytes)
      larger.set(bytes, at)
      this.bytes = larger
      return bytes.length
    }

    read(into: Uint8Array, { at }: { at: number }): number {
      const found = this.bytes.subarray(at, at + into.length)
      into.set(found)
      return found.length
    }

    truncate(size: number): void {
      this.bytes = this.bytes.slice(0, size)
    }

    getSize(): number {
      return this.bytes.length
    }

    flush(): void {
      this.flushed++
    }

    close(): void {
      this.calls++
    }
  }
  const writeJoined = joinFrameWrites(File.prototype)
  return { file: new File(), other: new File(), writeJoined }
}

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value)

/** As SQLite writes a commit. */
function commit(file: AccessHandle, { at, frames }: { at: number; frames: number }): void {
  for (let frame = 0; frame < frames; frame++) {
    const start = at + frame * (HEAD + PAGE)
    file.write(filled(HEAD, frame + 1), { at: start })
    file.write(filled(PAGE, frame + 101), { at: start + HEAD })
  }
}

test('[CORE-24.8] the frames of a commit are written as one, before the disk is waited for', () => {
  const { file, writeJoined } = newFile()
  commit(file, { at: 0, frames: 12 })
  expect(file.calls).toBe(0)
  file.flush()
  expect([file.calls, file.flushed, file.bytes.length]).toEqual([1, 1, 12 * (HEAD + PAGE)])
  commit(file, { at: file.bytes.length, frames: 3 })
  writeJoined()
  expect([file.calls, file.bytes.length]).toEqual([2, 15 * (HEAD + PAGE)])
  expect(file.bytes.at(-1)).toBe(103)
})

test('[CORE-24.8] a commit that waits for the disk fails where there is no room, and one that does not is kept until there is', () => {
  const { file, other, writeJoined } = newFile()
  file.isFull = true
  commit(file, { at: 0, frames: 2 })
  expect(() => file.flush()).toThrow('no room')
  expect(file.flushed).toBe(0)
  writeJoined()
  const into = new Uint8Array(PAGE)
  expect(file.read(into, { at: HEAD })).toBe(PAGE)
  expect(into[0]).toBe(101)
  expect(file.getSize()).toBe(2 * (HEAD + PAGE))
  expect(() => other.write(filled(PAGE, 1), { at: 0 })).toThrow('no room')
  file.isFull = false
  other.flush()
  expect(file.bytes.length).toBe(2 * (HEAD + PAGE))
})

test('[CORE-24.8] whatever is written, cut and read, with and without room, is read as if each write were made at once', () => {
  const place = fc.constantFrom(0, HEAD, HEAD + PAGE, 2 * HEAD + PAGE, 2 * (HEAD + PAGE), 300)
  const step = fc.oneof(
    fc.record({ do: fc.constant('write' as const), at: place, length: fc.constantFrom(HEAD, PAGE, 7) }),
    fc.record({ do: fc.constant('read' as const), at: place, length: fc.constantFrom(HEAD, PAGE, 400) }),
    fc.record({
      do: fc.constantFrom('flush' as const, 'settle' as const, 'size' as const, 'full' as const, 'room' as const),
    }),
    fc.record({ do: fc.constant('truncate' as const), at: place }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const { file, writeJoined } = newFile()
      let expected = new Uint8Array()
      const put = (bytes: Uint8Array, at: number) => {
        const larger = new Uint8Array(Math.max(expected.length, at + bytes.length))
        larger.set(expected)
        larger.set(bytes, at)
        expected = larger
      }
      for (const [index, one] of steps.entries()) {
        try {
          switch (one.do) {
            case 'write': {
              const bytes = filled(one.length, (index % 250) + 1)
              file.write(bytes, { at: one.at })
              put(bytes, one.at)
              break
            }
            case 'read': {
              const into = new Uint8Array(one.length)
              const count = file.read(into, { at: one.at })
              expect(into.subarray(0, count)).toEqual(expected.slice(one.at, one.at + one.length))
              break
            }
            case 'truncate':
              file.truncate(one.at)
              expected = expected.slice(0, one.at)
              break
            case 'size':
              expect(file.getSize()).toBe(expected.length)
              break
            case 'flush':
              file.flush()
              break
            case 'settle':
              writeJoined()
              break
            case 'full':
            case 'room':
              file.isFull = one.do === 'full'
          }
        } catch (error) {
          if (!(error instanceof DOMException)) throw error
          expect(file.isFull).toBe(true)
        }
      }
      file.isFull = false
      file.flush()
      expect(file.bytes).toEqual(expected)
    }),
    { numRuns: 400 },
  )
})
