// Bits into the bytes of a JPEG's scan: a 0xFF among them is followed by a zero, so that none looks like a marker.
import { gatewayLimits } from '@postern/protocol'

/** Beside those that wait for the rest of their byte. */
export const PUT_BITS_MAX = 24
const FIRST_BYTES = 256 * 1024

export class BitWriter {
  #bytes = new Uint8Array(FIRST_BYTES)
  #length = 0
  #held = 0
  #heldBits = 0

  /** False when it would become too long. */
  hasRoomFor(bytes: number): boolean {
    if (this.#length + bytes <= this.#bytes.length) return true
    const length = this.#bytes.length * 2
    if (length > gatewayLimits.photoThinnedBytesMax) return false
    const longer = new Uint8Array(length)
    longer.set(this.#bytes)
    this.#bytes = longer
    return true
  }

  /** PUT_BITS_MAX at most. */
  put(bits: number, count: number): void {
    this.#held = (this.#held << count) | bits
    this.#heldBits += count
    while (this.#heldBits >= 8) {
      this.#heldBits -= 8
      this.#putByte((this.#held >>> this.#heldBits) & 0xff)
    }
  }

  /** The rest of the last byte is ones. */
  fill(): void {
    if (this.#heldBits > 0) this.put(0xff >>> this.#heldBits, 8 - this.#heldBits)
  }

  /** Between whole bytes. */
  marker(code: number): void {
    this.#bytes[this.#length++] = 0xff
    this.#bytes[this.#length++] = code
  }

  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #putByte(byte: number): void {
    this.#bytes[this.#length++] = byte
    if (byte === 0xff) this.#bytes[this.#length++] = 0
  }
}
