// Refuses new data before the database is full:
// acknowledgements, farewells and sweeping continue in the remaining space.
import { CodedError, relayFixedLimits } from '@postern/protocol'
import { databaseBytes, type Sqlite } from './database.ts'

type Given = { bytesMax: number; disk: { fitsMessages(): boolean; spend(bytes: number): void } | undefined }

export class DatabaseRoom {
  readonly #db: Sqlite
  readonly #disk: Given['disk']
  readonly #usedBytesMax: number
  readonly #lookAfterBytes: number
  #isShort = false
  /** Bytes since the last check; infinite at the start, so that the first call checks. */
  #spent = Number.POSITIVE_INFINITY

  constructor(db: Sqlite, { bytesMax, disk }: Given) {
    this.#db = db
    this.#disk = disk
    this.#usedBytesMax = bytesMax - Math.min(bytesMax / 16, relayFixedLimits.databaseReserveBytes)
    this.#lookAfterBytes = Math.min(bytesMax / 64, relayFixedLimits.diskLookAfterBytes)
  }

  /** Throws `storage-full`. */
  check(bytes: number): void {
    this.#spent += bytes
    this.#disk?.spend(bytes)
    if (this.#isShort || this.#spent > this.#lookAfterBytes) this.#look()
    if (this.#isShort || this.#disk?.fitsMessages() === false) throw new CodedError('storage-full')
  }

  #look(): void {
    this.#spent = 0
    this.#isShort = databaseBytes(this.#db).databaseUsedBytes > this.#usedBytesMax
  }
}
