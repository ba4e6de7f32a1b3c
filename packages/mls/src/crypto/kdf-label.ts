// ExpandWithLabel of RFC 9420 §8 as one HMAC: everything that we derive fits in a single block of HKDF (RFC 5869).

/** KDFLabel and the counter of its only block; the context, of a fixed size, is filled in. */
export class KdfLabel {
  readonly #bytes: Uint8Array
  readonly #contextAt: number

  constructor(label: string, sizes: { bytes: number; contextBytes: number }) {
    const name = new TextEncoder().encode(`MLS 1.0 ${label}`)
    const head = [0, sizes.bytes, name.length, ...name, sizes.contextBytes]
    this.#contextAt = head.length
    this.#bytes = Uint8Array.from([...head, ...new Uint8Array(sizes.contextBytes), 1])
  }

  /** Valid until the next call. */
  of(context: Uint8Array): Uint8Array {
    this.#bytes.set(context, this.#contextAt)
    return this.#bytes
  }
}
