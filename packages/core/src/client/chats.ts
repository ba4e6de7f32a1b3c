// What can be done with chats: they are opened, let in, renamed and left, and members come and go.
import type { Chat } from '@postern/bot-api/objects'
import {
  type AccountId,
  assertKept,
  type ChatId,
  contentLimits,
  type Deadline,
  nameFault,
  type TimeoutOption,
  utf8,
} from '@postern/protocol'
import { addMembers, removeMembers, renameGroup, setTimer } from '../chats/members/change-members.ts'
import { changeOnce } from '../chats/members/change-once.ts'
import { type MemberRole, setAdmin } from '../chats/members/set-admin.ts'
import { ensurePrivateChat, openGroupChat } from '../chats/opening/open-chat.ts'
import { type ChatsPage, viewChat, viewChats, visibleChat, visibleChats } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { findPerson } from '../identity/people.ts'
import { refreshProfile } from '../identity/profile.ts'
import { hello } from '../kinds/hello.ts'
import { leave } from '../kinds/leave.ts'
import { newDraft } from '../outbox/compose.ts'
import { sendAbout } from '../outbox/send-about.ts'
import { sendContent } from '../outbox/send-content.ts'
import { acceptRequest } from '../requests/accept-request.ts'
import { blockPerson, unblockPerson } from '../requests/block-person.ts'
import { declineRequest } from '../requests/decline-request.ts'
import { type ChatOverview, overviewOf } from '../timeline/overview.ts'
import type { Callers, ClientCallOptions } from './callers.ts'

export type ChatTarget = { account: AccountId; profileKey?: Uint8Array; token?: string }

export class ClientChats {
  readonly #core: Core
  readonly #callers: Callers

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  /** In the order in which they were first seen; all of them, or a page. */
  list(page: ChatsPage = {}): Chat[] {
    return viewChats(this.#core.store, visibleChats(this.#core.store, page))
  }

  /** All of them, as JSON in UTF-8: where texts are kept, of ten thousand only those that have changed are made anew. */
  listText(): Uint8Array {
    return this.#core.chatTexts?.all() ?? utf8(JSON.stringify(this.list()))
  }

  /** Each with its last line, the newest first. */
  overview(): ChatOverview[] {
    return overviewOf(this.#core.store, this.#core.own.id)
  }

  get(id: ChatId): Chat {
    return viewChat(this.#core.store, visibleChat(this.#core.store, id))
  }

  /** Opens the private chat and says hello in it, with the token of the link by which one came. */
  async open(target: ChatTarget, within: TimeoutOption): Promise<Chat> {
    const deadline = this.#callers.deadline(within)
    const { id } = await ensurePrivateChat(this.#core, target, deadline)
    const draft = newDraft(this.#core, hello.body(), target.token)
    await sendContent(this.#core, id, { draft, deadline })
    await this.#learnName(target.account)
    return this.get(id)
  }

  /** A request becomes a chat like any other, and its person a contact. */
  async accept(id: ChatId): Promise<Chat> {
    return viewChat(this.#core.store, await acceptRequest(this.#core, id))
  }

  /** A request is gone, with all that came with it. Its person hears nothing, and may ask again; a group is left. */
  async decline(id: ChatId): Promise<void> {
    await declineRequest(this.#core, id)
  }

  /** Nothing of that account is heard any more, but in groups that one shares with it and others. */
  async block(account: AccountId): Promise<void> {
    await blockPerson(this.#core, account)
  }

  async unblock(account: AccountId): Promise<void> {
    await unblockPerson(this.#core, account)
  }

  async createGroup(group: { name: string; members: AccountId[] }, within: ClientCallOptions): Promise<Chat> {
    assertKept('name', nameFault(group.name, contentLimits.groupNameCharsMax))
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, async idempotency => {
      const { id } = await openGroupChat(this.#core, { ...group, deadline, ...idempotency })
      await this.#sayHello(id, deadline)
      return this.get(id)
    })
  }

  async addMembers(id: ChatId, members: AccountId[], within: ClientCallOptions): Promise<Chat> {
    return await this.#change(id, within, async deadline => {
      await addMembers(this.#core, id, { members, deadline })
      await this.#sayHello(id, deadline)
    })
  }

  async removeMembers(id: ChatId, members: AccountId[], within: ClientCallOptions): Promise<Chat> {
    return await this.#change(id, within, (deadline, isRepeat) => {
      const present = isRepeat ? presentOf(this.get(id), members) : members
      return removeMembers(this.#core, id, { members: present, deadline })
    })
  }

  async renameGroup(id: ChatId, name: string, within: ClientCallOptions): Promise<Chat> {
    assertKept('name', nameFault(name, contentLimits.groupNameCharsMax))
    return await this.#change(id, within, deadline => renameGroup(this.#core, id, { name, deadline }))
  }

  async leaveGroup(id: ChatId, within: ClientCallOptions): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given => sendAbout(this.#core, id, { kind: leave, asked: {}, deadline, ...given }))
  }

  async setTimer(id: ChatId, timerMs: number, within: ClientCallOptions): Promise<Chat> {
    return await this.#change(id, within, deadline => setTimer(this.#core, id, { timerMs, deadline }))
  }

  /** Who may remove people and name admins: an admin says it, and one stays. */
  async setAdmin(
    id: ChatId,
    named: { account: AccountId; role: MemberRole },
    within: ClientCallOptions,
  ): Promise<Chat> {
    return await this.#change(id, within, deadline => setAdmin(this.#core, id, { ...named, deadline }))
  }

  /** Under a key that was carried out nothing is done; under one that was cut off, what does not hold yet. */
  async #change(
    id: ChatId,
    within: ClientCallOptions,
    change: (deadline: Deadline, isRepeat: boolean) => Promise<void>,
  ): Promise<Chat> {
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, async ({ idempotency }) => {
      await changeOnce(this.#core, id, { idempotency, change: isRepeat => change(deadline, isRepeat) })
      return this.get(id)
    })
  }

  /** A link carries the key of the profile: whoever opens it sees the name at once, if the relay has it. */
  async #learnName(account: AccountId): Promise<void> {
    const person = findPerson(this.#core.store, account)
    if (person && person.wanted_version > person.profile_version)
      await refreshProfile(this.#core, person).catch(() => undefined)
  }

  async #sayHello(id: ChatId, deadline: Deadline): Promise<void> {
    await sendContent(this.#core, id, { draft: newDraft(this.#core, hello.body()), deadline })
  }
}

/** Who was removed by the first try is no reason to refuse the second. */
const presentOf = (chat: Chat, members: AccountId[]): AccountId[] =>
  members.filter(account => chat.members.some(member => member.id === account))
