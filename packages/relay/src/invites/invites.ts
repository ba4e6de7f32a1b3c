// Invites: codes that an operator gives out. The relay keeps only the hash of each code, and its terms.
import { createHash, randomBytes } from 'node:crypto'
import { CodedError, toBase32 } from '@postern/protocol'
import type { InviteStore, StoredInvite } from '../store/invite-store.ts'

const CODE_BYTES = 16
/** Characters of the hash: enough to distinguish invites, and useless as a code. */
const ID_CHARS = 8

const hashOf = (code: string): Buffer => createHash('sha256').update(code.trim().toLowerCase()).digest()
const hexOf = ({ hash }: StoredInvite): string => Buffer.from(hash).toString('hex')

export const inviteIdOf = (invite: StoredInvite): string => hexOf(invite).slice(0, ID_CHARS)

export class Invites {
  readonly #shelf: InviteStore

  constructor(shelf: InviteStore) {
    this.#shelf = shelf
  }

  /** Returns the code, which is stored nowhere. */
  async make(terms: Omit<StoredInvite, 'hash'>): Promise<string> {
    const code = toBase32(randomBytes(CODE_BYTES))
    await this.#shelf.put({ hash: hashOf(code), ...terms })
    return code
  }

  /** Throws `invite-wrong` or `invite-expired`. The store checks how often an invite was used. */
  async find(code: string, nowMs: number): Promise<StoredInvite> {
    const invite = await this.#shelf.get(hashOf(code))
    if (!invite) throw new CodedError('invite-wrong')
    if (invite.expiresMs <= nowMs) throw new CodedError('invite-expired')
    return invite
  }

  list(): Promise<StoredInvite[]> {
    return this.#shelf.list()
  }

  /** Finds the invite by a prefix of its hash. A registration in progress may still succeed; no later one does. */
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
