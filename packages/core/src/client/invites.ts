// The start links of a client: made, listed and revoked.
import type { Core } from '../context.ts'
import {
  createStartLink,
  listStartLinks,
  type NewStartLink,
  revokeStartLink,
  type StartLink,
  type StartLinksPage,
} from '../identity/start-links.ts'
import type { Idempotency } from '../storage/state/idempotency-keys.ts'
import type { Callers } from './callers.ts'

export class ClientInvites {
  readonly #core: Core
  readonly #callers: Callers

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  /** A link by which a person begins the chat: the command of the first message arrives here with the payload. */
  async create(wanted: NewStartLink, given: { idempotency?: Idempotency } = {}): Promise<StartLink> {
    return await this.#callers.once(given, ({ idempotency }) => createStartLink(this.#core, wanted, idempotency))
  }

  /** Oldest first: all of them, or one page. */
  list(page: StartLinksPage = {}): StartLink[] {
    return listStartLinks(this.#core, page)
  }

  /** From now on it opens a chat as an address that anyone knows. */
  async revoke(id: string): Promise<void> {
    await revokeStartLink(this.#core, id)
  }
}
