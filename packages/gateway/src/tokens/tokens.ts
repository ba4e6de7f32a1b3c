// Scoped tokens: stored as hashes, found by their id, and revoked together with the requests that they have under way.
import type { ApiToken, CreatedToken, newToken } from '@postern/bot-api'
import type { Log, Records } from '@postern/core'
import { type Clock, CodedError, gatewayLimits, inBackground, SerialQueue } from '@postern/protocol'
import type { z } from 'zod'
import type { Access } from '../access.ts'
import { newSecret, readSecret } from './token-secrets.ts'

/** Stored: never rename it. */
export const TOKENS_SHELF = 'tokens'

type NewToken = z.infer<typeof newToken>
type Stored = {
  name: string
  scopes: NewToken['scopes']
  chats?: string[]
  ts: number
  secretHash: string
  usedTs?: number
}
type Token = { access: Access & { token: string }; stored: Stored; writtenTs: number; open: Set<OpenRequest> }

/** A request under way; `destroy` closes its connection. */
export type OpenRequest = { destroy(): void; once(event: 'close', listener: () => void): unknown }

export type TokensOptions = { clock: Clock; log: Log }

const accessOf = (id: string, { scopes, chats }: Stored): Token['access'] => ({ token: id, scopes, chats })

export class Tokens {
  readonly #records: Records
  readonly #clock: Clock
  readonly #log: Log
  readonly #byId = new Map<string, Token>()
  /** Two concurrent creations would not count each other, and the last use of a token must not bring it back. */
  readonly #changes = new SerialQueue()

  constructor(records: Records, { clock, log }: TokensOptions) {
    this.#records = records
    this.#clock = clock
    this.#log = log
    for (const { key, value } of records.all()) this.#add(key, JSON.parse(value) as Stored)
  }

  /** Notes the use. Undefined for a text that is no token. */
  use(text: string): Access | undefined {
    const given = readSecret(text)
    const token = given && this.#byId.get(given.id)
    if (!given || !token || !given.matches(token.stored.secretHash)) return undefined
    this.#noteUse(token)
    return token.access
  }

  /** A request that is under way is closed when its token is revoked: its body may still be on its way in. */
  watch({ token: id }: Access, request: OpenRequest): void {
    const token = id === undefined ? undefined : this.#byId.get(id)
    if (!token) return
    token.open.add(request)
    request.once('close', () => token.open.delete(request))
  }

  /** Oldest first. */
  list(): ApiToken[] {
    return [...this.#byId]
      .toSorted(([, a], [, b]) => a.stored.ts - b.stored.ts)
      .map(([id, { stored }]) => shown(id, stored))
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  async create({ name, scopes, chats }: NewToken): Promise<CreatedToken> {
    return await this.#changes.run(async () => {
      const max = gatewayLimits.tokensMax
      if (this.#byId.size >= max) throw new CodedError('tokens-full', { max })
      const { id, text, secretHash } = this.#newSecret()
      const stored: Stored = { name, scopes, ...(chats && { chats }), ts: this.#clock.nowMs(), secretHash }
      await this.#records.change({ key: id, put: JSON.stringify(stored) })
      this.#add(id, stored)
      return { ...shown(id, stored), token: text }
    })
  }

  /** Durable before it takes effect: a revocation that was answered is not undone by a restart. */
  async revoke(id: string): Promise<void> {
    await this.#changes.run(async () => {
      const token = this.#byId.get(id)
      if (!token) throw new CodedError('token-not-found')
      await this.#records.change({ key: id, remove: true })
      this.#byId.delete(id)
      for (const request of token.open) request.destroy()
    })
  }

  #add(id: string, stored: Stored): void {
    this.#byId.set(id, { access: accessOf(id, stored), stored, writtenTs: stored.usedTs ?? 0, open: new Set() })
  }

  #newSecret(): ReturnType<typeof newSecret> {
    for (;;) {
      const made = newSecret()
      if (!this.#byId.has(made.id)) return made
    }
  }

  /** A write for each request would cost more than the request. */
  #noteUse(token: Token): void {
    const nowMs = this.#clock.nowMs()
    token.stored.usedTs = nowMs
    if (Math.abs(nowMs - token.writtenTs) < gatewayLimits.tokenUseWrittenEveryMs) return
    token.writtenTs = nowMs
    const { token: id } = token.access
    const write = this.#changes.run(async () => {
      if (this.#byId.has(id)) await this.#records.changeAhead({ key: id, put: JSON.stringify(token.stored) })
    })
    inBackground(write, { what: 'the last use of a token', log: this.#log })
  }
}

const shown = (id: string, { name, scopes, chats, ts, usedTs }: Stored): ApiToken => ({
  id,
  name,
  scopes,
  ...(chats && { chats }),
  ts,
  ...(usedTs !== undefined && { last_used_ts: usedTs }),
})
