// The links to groups of a client: making and revoking them, asking for a place by one, and deciding who gets it.
import type { Chat, Person } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, CodedError, type TimeoutOption } from '@postern/protocol'
import type { GroupLink } from '@postern/protocol/content'
import { type AskedJoin, askedJoins, forgetAskedJoin } from '../chats/records/asked-joins.ts'
import type { Core } from '../context.ts'
import { askToJoin } from '../outbox/send-join.ts'
import {
  assertWaiting,
  declineJoin,
  joinRequests,
  type MadeLink,
  madeLinks,
  makeLink,
  revokeLink,
} from '../requests/join-by-link.ts'
import type { Callers, ClientCallOptions } from './callers.ts'
import type { ClientChats } from './chats.ts'

export class ClientGroupLinks {
  readonly #core: Core
  readonly #callers: Callers
  readonly #chats: ClientChats

  constructor(core: Core, callers: Callers, chats: ClientChats) {
    this.#core = core
    this.#callers = callers
    this.#chats = chats
  }

  /** Only an admin makes links. A link counts while its maker is an admin, until it is revoked. */
  async make(chat: ChatId): Promise<MadeLink> {
    return await makeLink(this.#core, chat)
  }

  /** The links of this account alone, oldest first. */
  list(chat: ChatId): MadeLink[] {
    return madeLinks(this.#core, chat)
  }

  /** Requests that wait because of this link are gone with it. */
  async revoke(chat: ChatId, token: string): Promise<void> {
    await revokeLink(this.#core, chat, token)
  }

  /** Asks the admin who made the link, who learns the name and the account. Resolves when the relay has the request. */
  async ask(link: GroupLink, within: TimeoutOption): Promise<AskedJoin> {
    return await askToJoin(this.#core, link, this.#callers.deadline(within))
  }

  /** The requests of this account, oldest first. One that was granted is gone: the group is there. */
  asked(): AskedJoin[] {
    return askedJoins(this.#core.store)
  }

  /** On this device alone: the admin is not notified. If the admin adds this account, the group waits as a request. */
  async forgetAsked(asked: { account: AccountId; token: string }): Promise<void> {
    const isForgotten = await this.#core.store.write(database => forgetAskedJoin(database, asked))
    if (!isForgotten) throw new CodedError('group-link-not-found')
  }

  /** The people who wait for a place in the group, by links of this account. */
  requests(chat: ChatId): { from: Person; ts: number }[] {
    return joinRequests(this.#core, chat)
  }

  async add(chat: ChatId, account: AccountId, within: ClientCallOptions): Promise<Chat> {
    assertWaiting(this.#core, chat, account)
    return await this.#chats.addMembers(chat, [account], within)
  }

  /** The person learns it, and cannot ask by the same link again. */
  async decline(chat: ChatId, account: AccountId): Promise<void> {
    await declineJoin(this.#core, chat, account)
  }
}
