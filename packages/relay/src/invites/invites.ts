// Invites: codes that an operator gives out. Kept is only the hash of each, and what it allows.
import { createHash, randomBytes } from 'node:crypto'
import { CodedError, toBase32 } from '@postern/protocol'
import type { InviteStore, StoredInvite } from '../store/invite-store.ts'

const CODE_BYTES = 16
/** Of the hash: enough to tell invites apart, and of no use to who reads it. */
const ID_CHARS = 8

const hashOf = (code: string): Buffer => createHash('sha256').update(code.trim().toLowerCase()).digest()
const hexOf = ({ hash }: StoredInvite): string => Buffer.from(hash).toString('hex')

export const inviteIdOf = (invite: StoredInvite): string => hexOf(invite).slice(0, ID_CHARS)

export class Invites {
  readonly #shelf: InviteStore

  constructor(shelf: InviteStore) {
    this.#shelf = shelf
  }

  /** Gives the code, which is nowhere else. */
  async make(terms: Omit<StoredInvite, 'hash'>): Promise<string> {
    const code = toBase32(randomBytes(CODE_BYTES))
    await this.#shelf.put({ hash: hashOf(code), ...terms })
    return code
  }

  /** Throws `invite-wrong` or `invite-expired`. Whether it was used already the store knows. */
  async find(code: string, nowMs: number): Promise<StoredInvite> {
    const invite = await this.#shelf.get(hashOf(code))
    if (!invite) throw new CodedError('invite-wrong')
    if (invite.expiresMs <= nowMs) throw new CodedError('invite-expired')
    return invite
  }

  list(): Promise<StoredInvite[]> {
    return this.#shelf.list()
  }

  /** By the beginning of its hash. Whoever is let in by it in this moment is in; nobody after that. */
  async revoke(id: string): Promise<StoredInvite> {
    const found = /^[0-9a-f]{8,64}$/.test(id) ? (await this.list()).filter(invite => hexOf(invite).startsWith(id)) : []
    const [invite, another] = found
    if (!invite || another) throw new CodedError('invite-wrong', {}, { message: `There is no invite ${id}.` })
    await this.#shelf.remove(invite.hash)
    return invite
  }

  sweep(beforeMs: number): Promise<number> {
    return this.#shelf.sweep(beforeMs)
  }
}
