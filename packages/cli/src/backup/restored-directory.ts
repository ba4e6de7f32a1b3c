// The directory that a restore fills: built next to its final place, or inside it if it already exists, and complete
// once the files have their names.
import { randomUUID } from 'node:crypto'
import { chownSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { CodedError } from '@postern/protocol'
import { makeDataDirectory } from '@postern/protocol/node'
import { syncDirectory, writeNew } from './file-pieces.ts'

/** On the root of a file system; created with it. */
const LOST_AND_FOUND = 'lost+found'

export class RestoredDirectory {
  /** The place of the files until all of them are there and were checked. */
  readonly staging: string
  readonly #place: string

  private constructor(place: string, staging: string) {
    this.#place = place
    this.staging = staging
  }

  /** Throws `bad-field` for a directory that is not empty: nothing is ever overwritten. */
  static begin(directory: string): RestoredDirectory {
    const place = resolve(directory)
    const name = `.restore-${randomUUID().slice(0, 8)}`
    const isThere = existsSync(place)
    if (isThere) assertEmpty(directory)
    else makeDataDirectory(dirname(place))
    // Inside it: a volume of a container cannot be renamed.
    const staging = join(isThere ? place : dirname(place), name)
    mkdirSync(staging, { mode: 0o700 })
    return new RestoredDirectory(place, staging)
  }

  /** On the disk when it resolves. An existing path is refused. */
  async write(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = join(this.staging, path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeNew(file, content)
  }

  /**
   * Everything is in place when it resolves. `last` is moved after the others: until then the directory does not look
   * usable.
   */
  async finish(last: string): Promise<void> {
    this.#giveToOwner()
    for (const { isFolder, path } of pathsIn(this.staging)) if (isFolder) await syncDirectory(path)
    if (dirname(this.staging) === this.#place) await this.#moveOut(last)
    else await rename(this.staging, this.#place)
    await syncDirectory(this.#place)
    await syncDirectory(dirname(this.#place))
  }

  async drop(): Promise<void> {
    await rm(this.staging, { recursive: true, force: true })
  }

  async #moveOut(last: string): Promise<void> {
    const names = (await readdir(this.staging)).filter(name => name !== last)
    for (const name of [...names, last]) {
      const to = join(this.#place, name)
      if (existsSync(to)) throw wrong(`${to} was created during the restore. Check whether something is running there`)
      await rename(join(this.staging, name), to)
    }
    await rmdir(this.staging)
  }

  /** Otherwise a directory restored by root would be unreadable for the user that runs it. */
  #giveToOwner(): void {
    if (process.getuid?.() !== 0) return
    const { uid, gid } = statSync(dirname(this.staging))
    for (const { path } of pathsIn(this.staging)) chownSync(path, uid, gid)
  }
}

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: '--data', rule })

function assertEmpty(directory: string): void {
  if (!lstatSync(directory).isDirectory()) throw wrong(`${directory} is not a directory`)
  if (readdirSync(directory).some(name => name !== LOST_AND_FOUND))
    throw wrong(`${directory} is not empty, and a restore does not overwrite anything`)
}

function* pathsIn(directory: string): Generator<{ path: string; isFolder: boolean }> {
  yield { path: directory, isFolder: true }
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
    yield { path: join(entry.parentPath, entry.name), isFolder: entry.isDirectory() }
}
