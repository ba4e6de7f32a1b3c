// A relay's database while it is being moved into a data directory: a file apart, which takes its place at once or not at all.
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
  /** What stands in its place until then: held, so that no relay starts on it. */
  #before: Sqlite | undefined

  constructor(directory: string) {
    this.#directory = directory
    makeDataDirectory(directory)
  }

  /** Throws `database-locked` when a relay runs there. */
  look(incarnation: Uint8Array): TargetState {
    if (!existsSync(this.#place)) return 'empty'
    this.#before = openUnchanged(this.#directory)
    return foundIn(this.#before, incarnation)
  }

  /** Empty, at this version. What is left of a move that was cut off is gone. */
  open(): Sqlite {
    rmSync(this.#apart, { recursive: true, force: true })
    const db = openDatabase(this.#apart, moveLimits.databaseBytesMax)
    // Nobody relies on it before it is in its place, and then all of it is synced.
    db.pragma('synchronous = OFF')
    this.#db = db
    return db
  }

  /** All of it is on the disk, under its other name. */
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

  /** Throws `database-not-empty` when somebody has started a relay there meanwhile. */
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
