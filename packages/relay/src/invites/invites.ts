// Invites: files beside the database, which a running relay has locked. Each is named by the hash of its code.
import { createHash, randomBytes } from 'node:crypto'
import { chownSync, statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { CodedError, toBase32 } from '@postern/protocol'
import { INVITES_NAME } from '../store/data-directory.ts'
import type { Invite } from '../store/relay-store.ts'
import { syncDirectory } from '../store/sync-directory.ts'

const CODE_BYTES = 16
/** Of the hash: enough to tell invites apart, and of no use to who reads it. */
const ID_CHARS = 8
const FILE_NAME = /^[0-9a-f]{64}$/

type Terms = { uses: number; expires_ms: number }

const hashOf = (code: string): Buffer => createHash('sha256').update(code.trim().toLowerCase()).digest()

export const inviteIdOf = ({ hash }: Invite): string => Buffer.from(hash).toString('hex').slice(0, ID_CHARS)

export class Invites {
  readonly #directory: string

  constructor(dataDirectory: string) {
    this.#directory = join(dataDirectory, INVITES_NAME)
  }

  /** Gives the code, which is nowhere else. Under its name the file is whole or not there at all. */
  async make({ usesMax, expiresMs }: Omit<Invite, 'hash'>): Promise<string> {
    const code = toBase32(randomBytes(CODE_BYTES))
    const path = join(this.#directory, hashOf(code).toString('hex'))
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
    // Whoever is given a code must not find it wrong after a power cut.
    for (const folder of [this.#directory, join(this.#directory, '..')]) await syncDirectory(folder)
    return code
  }

  /** Throws `invite-wrong` or `invite-expired`. Whether it was used already the store knows. */
  async find(code: string, nowMs: number): Promise<Invite> {
    const hash = hashOf(code)
    const invite = await this.#read(hash.toString('hex'))
    if (!invite) throw new CodedError('invite-wrong')
    if (invite.expiresMs <= nowMs) throw new CodedError('invite-expired')
    return invite
  }

  /** All that were made and not swept yet. */
  async list(): Promise<Invite[]> {
    const found = await Promise.all((await this.#names()).map(name => this.#read(name)))
    return found.filter(invite => invite !== undefined)
  }

  /** By the beginning of its hash. Whoever is let in by it in this moment is in; nobody after that. */
  async revoke(id: string): Promise<Invite> {
    const names = /^[0-9a-f]{8,64}$/.test(id) ? (await this.#names()).filter(name => name.startsWith(id)) : []
    const [name, another] = names
    const invite = name === undefined || another !== undefined ? undefined : await this.#read(name)
    if (name === undefined || !invite)
      throw new CodedError('invite-wrong', {}, { message: `There is no invite ${id}.` })
    await absentAsUndefined(unlink(join(this.#directory, name)))
    // A power cut must not bring it back.
    await syncDirectory(this.#directory)
    return invite
  }

  /** Removes those that expired before; gives how many. */
  async sweep(beforeMs: number): Promise<number> {
    let removed = 0
    for (const name of await this.#names()) {
      const invite = await this.#read(name)
      if (!invite || invite.expiresMs >= beforeMs) continue
      await absentAsUndefined(unlink(join(this.#directory, name)))
      removed += 1
    }
    return removed
  }

  async #names(): Promise<string[]> {
    const names = (await absentAsUndefined(readdir(this.#directory))) ?? []
    return names.filter(name => FILE_NAME.test(name))
  }

  async #read(name: string): Promise<Invite | undefined> {
    const text = await absentAsUndefined(readFile(join(this.#directory, name), 'utf8'))
    if (text === undefined) return undefined
    const terms = termsIn(text)
    return terms && { hash: Buffer.from(name, 'hex'), usesMax: terms.uses, expiresMs: terms.expires_ms }
  }
}

/** Undefined for what is no invite: somebody else has written into the directory. */
function termsIn(text: string): Terms | undefined {
  try {
    const { uses, expires_ms } = JSON.parse(text) as Partial<Terms>
    return Number.isSafeInteger(uses) && Number.isSafeInteger(expires_ms) ? ({ uses, expires_ms } as Terms) : undefined
  } catch {
    return undefined
  }
}

/** Made by root, they could not be read by the relay. */
function giveToOwnerOf(directory: string, paths: string[]): void {
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
