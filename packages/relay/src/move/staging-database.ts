// A relay's database while it is moved into a data directory: a staging file that replaces the database atomically.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, moveLimits } from '@postern/protocol'
import { makeDataDirectory } from '@postern/protocol/node'
import { giveToOwnerOf } from '../invites/invite-files.ts'
import { DATABASE_NAME } from '../store/claim-directory.ts'
import { emptyLog, openDatabase, openUnchanged, type Sqlite } from '../store/sqlite/database.ts'
import { syncDirectory } from '../store/sync-directory.ts'
import type { TargetState } from './moved-figures.ts'
import { foundIn } from './sqlite-end.ts'

const STAGING_NAME = 'relay.arriving'

export class StagingDatabase {
  readonly #directory: string
  #db: Sqlite | undefined
  /** The current database in its place, kept open so that no relay starts on it. */
  #before: Sqlite | undefined

  constructor(directory: string) {
    this.#directory = directory
    makeDataDirectory(directory)
  }

  /** Throws `database-locked` if a relay runs there. */
  look(incarnation: Uint8Array): TargetState {
    if (!existsSync(this.#place)) return 'empty'
    this.#before = openUnchanged(this.#directory)
    return foundIn(this.#before, incarnation)
  }

  /** Opens an empty database of this version. Deletes the remains of an interrupted move. */
  open(): Sqlite {
    rmSync(this.#apart, { recursive: true, force: true })
    const db = openDatabase(this.#apart, moveLimits.databaseBytesMax)
    // Nothing relies on the file before it is in place, and by then all of it is synced.
    db.pragma('synchronous = OFF')
    this.#db = db
    return db
  }

  /** All of it is then on disk, under the staging name. */
  sync(): void {
    const db = this.#db
    if (!db) return
    db.pragma('synchronous = FULL')
    emptyLog(db)
    db.close()
    this.#db = undefined
    const file = openSync(join(this.#apart, DATABASE_NAME), 'r+')
    fsyncSync(file)
    closeSync(file)
  }

  /** Throws `database-not-empty` if a relay was started there in the meantime. */
  async takePlace(): Promise<void> {
    if (!this.#before && existsSync(this.#place)) throw new CodedError('database-not-empty', { place: this.#directory })
    this.#before?.close()
    this.#before = undefined
    giveToOwnerOf(this.#directory, [join(this.#apart, DATABASE_NAME)])
    renameSync(join(this.#apart, DATABASE_NAME), this.#place)
    rmSync(this.#apart, { recursive: true })
    await syncDirectory(this.#directory)
  }

  close(): void {
    this.#db?.close()
    this.#before?.close()
  }

  get #apart(): string {
    return join(this.#directory, STAGING_NAME)
  }

  get #place(): string {
    return join(this.#directory, DATABASE_NAME)
  }
}
