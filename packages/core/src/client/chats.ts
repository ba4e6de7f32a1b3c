// What can be done with chats: they are opened, let in, renamed and left, and members come and go.
import type { Chat } from '@postern/bot-api/objects'
import {
  type AccountId,
  assertKept,
  type ChatId,
  contentLimits,
  type Deadline,
  nameFault,
  type Within,
} from '@postern/protocol'
import { addMembers, removeMembers, renameGroup, setTimer, writableGroup } from '../chats/change-members.ts'
import { viewChat, viewChats, visibleChat, visibleChats } from '../chats/chats.ts'
import { ensurePrivateChat, openGroupChat } from '../chats/open-chat.ts'
import type { Core } from '../context.ts'
import { findPerson } from '../identity/people.ts'
import { refreshProfile } from '../identity/profile.ts'
import { hello } from '../kinds/hello.ts'
import { leave } from '../kinds/leave.ts'
import { newDraft } from '../outbox/compose.ts'
import { sendContent } from '../outbox/send-content.ts'
import { acceptRequest } from '../requests/accept-request.ts'
import type { Callers, Once } from './callers.ts'

export type ChatTarget = { account: AccountId; profileKey?: Uint8Array; token?: string }

export class ClientChats {
  readonly #core: Core
  readonly #callers: Callers

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  list(): Chat[] {
    return viewChats(this.#core.store, visibleChats(this.#core.store))
  }

  get(id: ChatId): Chat {
    return viewChat(this.#core.store, visibleChat(this.#core.store, id))
  }

  /** Opens the private chat and says hello in it, with the token of the link by which one came. */
  async open(target: ChatTarget, within: Within): Promise<Chat> {
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

  async createGroup(group: { name: string; members: AccountId[] }, within: Once): Promise<Chat> {
    assertKept('name', nameFault(group.name, contentLimits.groupNameCharsMax))
    const deadline = this.#callers.deadline(within)
    return await this.#callers.once(within, async idempotency => {
      const { id } = await openGroupChat(this.#core, { ...group, deadline, ...idempotency })
      await this.#sayHello(id, deadline)
      return this.get(id)
    })
  }

  async addMembers(id: ChatId, members: AccountId[], within: Within): Promise<Chat> {
    const deadline = this.#callers.deadline(within)
    await addMembers(this.#core, id, { members, deadline })
    await this.#sayHello(id, deadline)
    return this.get(id)
  }

  async removeMembers(id: ChatId, members: AccountId[], within: Within): Promise<Chat> {
    await removeMembers(this.#core, id, { members, deadline: this.#callers.deadline(within) })
    return this.get(id)
  }

  async renameGroup(id: ChatId, name: string, within: Within): Promise<Chat> {
    assertKept('name', nameFault(name, contentLimits.groupNameCharsMax))
    await renameGroup(this.#core, id, { name, deadline: this.#callers.deadline(within) })
    return this.get(id)
  }

  async leaveGroup(id: ChatId, within: Within): Promise<void> {
    writableGroup(this.#core, id)
    const draft = newDraft(this.#core, leave.body())
    await sendContent(this.#core, id, { draft, deadline: this.#callers.deadline(within) })
  }

  async setTimer(id: ChatId, timerMs: number, within: Within): Promise<Chat> {
    await setTimer(this.#core, id, { timerMs, deadline: this.#callers.deadline(within) })
    return this.get(id)
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
