// Invites as files, because a running relay locks the database. Each file is named by the hash of its code.
import { chownSync, statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { INVITES_NAME } from '../store/claim-directory.ts'
import type { InviteStore, StoredInvite } from '../store/invite-store.ts'
import { syncDirectory } from '../store/sync-directory.ts'

const FILE_NAME = /^[0-9a-f]{64}$/

type Terms = { uses: number; expires_ms: number }

export class InviteFiles implements InviteStore {
  readonly #directory: string

  constructor(dataDirectory: string) {
    this.#directory = join(dataDirectory, INVITES_NAME)
  }

  /** The file appears under its name only when it is complete. */
  async put({ hash, usesMax, expiresMs }: StoredInvite): Promise<void> {
    const path = this.#pathOf(hash)
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const file = await open(`${path}.new`, 'wx', 0o600)
    try {
      await file.writeFile(JSON.stringify({ uses: usesMax, expires_ms: expiresMs } satisfies Terms))
      await file.sync()
    } finally {
      await file.close()
    }
    giveToOwnerOf(join(this.#directory, '..'), [this.#directory, `${path}.new`])
    await rename(`${path}.new`, path)
    // A code that was handed out must still be valid after a power cut.
    for (const folder of [this.#directory, join(this.#directory, '..')]) await syncDirectory(folder)
  }

  async get(hash: Uint8Array): Promise<StoredInvite | undefined> {
    const text = await absentAsUndefined(readFile(this.#pathOf(hash), 'utf8'))
    const terms = text === undefined ? undefined : termsIn(text)
    return terms && { hash, usesMax: terms.uses, expiresMs: terms.expires_ms }
  }

  async list(): Promise<StoredInvite[]> {
    const names = (await absentAsUndefined(readdir(this.#directory))) ?? []
    const hashes = names.filter(name => FILE_NAME.test(name)).map(name => Buffer.from(name, 'hex'))
    const found = await Promise.all(hashes.map(hash => this.get(hash)))
    return found.filter(invite => invite !== undefined)
  }

  async remove(hash: Uint8Array): Promise<void> {
    await absentAsUndefined(unlink(this.#pathOf(hash)))
    // A power cut must not restore the invite.
    await syncDirectory(this.#directory)
  }

  async sweep(beforeMs: number): Promise<number> {
    const expired = (await this.list()).filter(({ expiresMs }) => expiresMs < beforeMs)
    for (const { hash } of expired) await absentAsUndefined(unlink(this.#pathOf(hash)))
    return expired.length
  }

  #pathOf(hash: Uint8Array): string {
    return join(this.#directory, Buffer.from(hash).toString('hex'))
  }
}

/** Returns undefined for a file that is not an invite: something else wrote into the directory. */
function termsIn(text: string): Terms | undefined {
  try {
    const { uses, expires_ms } = JSON.parse(text) as Partial<Terms>
    return Number.isSafeInteger(uses) && Number.isSafeInteger(expires_ms) ? ({ uses, expires_ms } as Terms) : undefined
  } catch {
    return undefined
  }
}

/** The relay could not read files owned by root. */
export function giveToOwnerOf(directory: string, paths: string[]): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(directory)
  for (const path of paths) chownSync(path, uid, gid)
}

async function absentAsUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
