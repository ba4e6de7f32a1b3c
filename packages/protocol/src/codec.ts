// Codecs for binary values on the wire. Each writes a value, reads it back, and rejects a value out of its bounds.
import { fromUtf8, utf8 } from './bytes.ts'
import { CodedError } from './errors.ts'

export interface Codec<T> {
  write(into: Writer, value: T): void
  read(from: CodecReader): T
}

export type Infer<C> = C extends Codec<infer T> ? T : never

const malformed = (what: string): CodedError => new CodedError('frame-malformed', { what })

export class Writer {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  /** Pass the final length of a long value: a growing buffer is copied each time and ends up larger than needed. */
  constructor(roomBytes = 512) {
    this.#bytes = new Uint8Array(roomBytes)
  }

  reserve(count: number): number {
    const at = this.#length
    this.#length += count
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2))
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    return at
  }

  unsigned(value: number, byteCount: number): void {
    let at = this.reserve(byteCount) + byteCount
    let rest = value
    for (let i = 0; i < byteCount; i++) {
      this.#bytes[--at] = rest % 256
      rest = Math.floor(rest / 256)
    }
  }

  raw(bytes: Uint8Array): void {
    const at = this.reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

export class CodecReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  unsigned(byteCount: number): number {
    if (this.#at + byteCount > this.#bytes.length) throw malformed('it ends too early')
    let value = 0
    for (let i = 0; i < byteCount; i++) value = value * 256 + (this.#bytes[this.#at++] ?? 0)
    return value
  }

  /** A view into the frame, not a copy. */
  raw(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw malformed('it ends too early')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  finish(): void {
    if (this.#at !== this.#bytes.length) throw malformed('bytes are left over')
  }
}

function unsigned(byteCount: number, max: number): Codec<number> {
  return {
    write(into, value) {
      if (!Number.isSafeInteger(value) || value < 0 || value > max) throw malformed(`a number is not in 0..${max}`)
      into.unsigned(value, byteCount)
    },
    read(from) {
      const value = from.unsigned(byteCount)
      if (value > max) throw malformed(`a number is not in 0..${max}`)
      return value
    },
  }
}

export const u8 = unsigned(1, 0xff)
export const u16 = unsigned(2, 0xffff)
export const u32 = unsigned(4, 0xffff_ffff)
/** Eight bytes, of which JavaScript's whole numbers fill 53 bits. */
export const u53 = unsigned(8, Number.MAX_SAFE_INTEGER)

export const bool: Codec<boolean> = {
  write: (into, value) => u8.write(into, value ? 1 : 0),
  read: from => {
    const value = u8.read(from)
    if (value > 1) throw malformed('a yes-or-no is neither')
    return value === 1
  },
}

export const fixed = (count: number): Codec<Uint8Array> => ({
  write(into, value) {
    if (value.length !== count) throw malformed(`${value.length} bytes stand where ${count} belong`)
    into.raw(value)
  },
  read: from => from.raw(count),
})

export const bytes = (max: number): Codec<Uint8Array> => ({
  write(into, value) {
    if (value.length > max) throw malformed(`${value.length} bytes are more than ${max}`)
    u32.write(into, value.length)
    into.raw(value)
  },
  read(from) {
    const length = u32.read(from)
    if (length > max) throw malformed(`${length} bytes are more than ${max}`)
    return from.raw(length)
  },
})

export const text = (bytesMax: number): Codec<string> => ({
  write: (into, value) => bytes(bytesMax).write(into, utf8(value)),
  read: from => {
    try {
      return fromUtf8(bytes(bytesMax).read(from))
    } catch (cause) {
      if (cause instanceof CodedError) throw cause
      throw malformed('a text is not UTF-8')
    }
  },
})

export const list = <T>(item: Codec<T>, max: number): Codec<T[]> => ({
  write(into, values) {
    if (values.length > max) throw malformed(`${values.length} items are more than ${max}`)
    u32.write(into, values.length)
    for (const value of values) item.write(into, value)
  },
  read(from) {
    const length = u32.read(from)
    if (length > max) throw malformed(`${length} items are more than ${max}`)
    return Array.from({ length }, () => item.read(from))
  },
})

export const optional = <T>(item: Codec<T>): Codec<T | undefined> => ({
  write(into, value) {
    bool.write(into, value !== undefined)
    if (value !== undefined) item.write(into, value)
  },
  read: from => (bool.read(from) ? item.read(from) : undefined),
})

export const oneOf = <const Names extends readonly string[]>(names: Names): Codec<Names[number]> => ({
  write: (into, value) => u8.write(into, names.indexOf(value)),
  read: from => {
    const name = names[u8.read(from)]
    if (name === undefined) throw malformed('a name is not known')
    return name
  },
})

export const mapped = <Wire, T>(
  wire: Codec<Wire>,
  map: { toWire: (value: T) => Wire; fromWire: (wire: Wire) => T },
): Codec<T> => ({
  write: (into, value) => wire.write(into, map.toWire(value)),
  read: from => map.fromWire(wire.read(from)),
})

export function struct<T extends object>(fields: { [Name in keyof T]: Codec<T[Name]> }): Codec<T> {
  const entries = Object.entries(fields) as [keyof T, Codec<unknown>][]
  return {
    write(into, value) {
      for (const [name, codec] of entries) codec.write(into, value[name])
    },
    read(from) {
      const value: Partial<Record<keyof T, unknown>> = {}
      for (const [name, codec] of entries) value[name] = codec.read(from)
      return value as T
    },
  }
}

export function encodeWith<T>(codec: Codec<T>, value: T): Uint8Array {
  const into = new Writer()
  codec.write(into, value)
  return into.finish()
}

/** Throws unless the codec consumes all bytes. */
export function decodeWith<T>(codec: Codec<T>, from: Uint8Array): T {
  const reader = new CodecReader(from)
  const value = codec.read(reader)
  reader.finish()
  return value
}
