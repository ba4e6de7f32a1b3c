// The bytes of one file on a disk: those that were synced, and the changes that were not.
import type { SeededRandom } from '@postern/testkit'

export type Change = Write | { kind: 'truncate'; length: number }
type Write = { kind: 'write'; at: number; bytes: Uint8Array }

/** The loss of unsynced changes: none, all, those after a moment, or some blocks of them. */
const losses = ['none', 'all', 'later', 'sectors', 'pages'] as const
const SECTOR_BYTES = 512
const PAGE_BYTES = 4096

export class StoredFile {
  readonly #safe: Bytes
  #pending: Change[] = []

  constructor(safe: Uint8Array) {
    this.#safe = new Bytes(safe)
  }

  change(change: Change): void {
    this.#pending.push(change)
  }

  /** From now on all written data is safe. */
  settle(): void {
    for (const change of this.#pending) this.#safe.apply(change)
    this.#pending = []
  }

  afterCut(random: SeededRandom): Uint8Array {
    const loss = random.of(losses)
    switch (loss) {
      case 'none':
        return this.#with(this.#pending)
      case 'all':
        return this.#with([])
      case 'later':
        return this.#with(this.#pending.slice(0, random.below(this.#pending.length + 1)))
      case 'sectors':
        return this.#with(this.#torn(SECTOR_BYTES, random))
      case 'pages':
        return this.#with(this.#torn(PAGE_BYTES, random))
    }
  }

  #with(changes: Iterable<Change>): Uint8Array {
    const bytes = new Bytes(this.#safe.value)
    for (const change of changes) bytes.apply(change)
    return bytes.value
  }

  /** Each block as it was at some moment since the last sync, independently of the others. */
  *#torn(blockBytes: number, random: SeededRandom): Generator<Change> {
    const touches = new Map<number, number>()
    for (const { block } of this.#pending.flatMap(change => piecesOf(change, blockBytes)))
      touches.set(block, (touches.get(block) ?? 0) + 1)
    const left = new Map([...touches].map(([block, count]) => [block, random.below(count + 1)]))
    for (const change of this.#pending) {
      if (change.kind === 'truncate' && random.below(2) === 0) yield change
      for (const { block, piece } of piecesOf(change, blockBytes)) {
        const count = left.get(block) ?? 0
        left.set(block, count - 1)
        if (count > 0) yield piece
      }
    }
  }
}

function piecesOf(change: Change, blockBytes: number): { block: number; piece: Write }[] {
  const pieces: { block: number; piece: Write }[] = []
  if (change.kind === 'truncate') return pieces
  for (let from = 0; from < change.bytes.length; ) {
    const at = change.at + from
    const block = Math.floor(at / blockBytes)
    const to = Math.min(change.bytes.length, from + (block + 1) * blockBytes - at)
    pieces.push({ block, piece: { kind: 'write', at, bytes: change.bytes.subarray(from, to) } })
    from = to
  }
  return pieces
}

/** Bytes that grow in place: otherwise a log of a thousand writes would copy its file a thousand times. */
class Bytes {
  #room: Uint8Array
  #length: number

  constructor(start: Uint8Array) {
    this.#room = start.slice()
    this.#length = start.length
  }

  get value(): Uint8Array {
    return this.#room.subarray(0, this.#length)
  }

  apply(change: Change): void {
    if (change.kind === 'truncate') return this.#resize(change.length)
    const end = change.at + change.bytes.length
    if (end > this.#length) this.#resize(end)
    this.#room.set(change.bytes, change.at)
  }

  /** Unwritten bytes are zero, also where data was before a cut. */
  #resize(length: number): void {
    if (length > this.#room.length) {
      const room = new Uint8Array(Math.max(length, 2 * this.#room.length))
      room.set(this.value)
      this.#room = room
    }
    if (length < this.#length) this.#room.fill(0, length, this.#length)
    this.#length = length
  }
}
