// The chat operations of a client: opening, accepting, renaming and leaving chats, and changing their members.
import type { Chat } from '@postern/bot-api/objects'
import {
  type AccountId,
  assertKept,
  type ChatId,
  contentLimits,
  type Deadline,
  isStartLink,
  nameFault,
  START_COMMAND,
  utf8,
} from '@postern/protocol'
import { addMembers, removeMembers, renameGroup, setGroupPicture, setTimer } from '../chats/members/change-members.ts'
import { changeOnce } from '../chats/members/change-once.ts'
import { type MemberRole, setAdmin } from '../chats/members/set-admin.ts'
import { ensurePrivateChat, openGroupChat } from '../chats/opening/open-chat.ts'
import { shownPictures } from '../chats/records/chat-pictures.ts'
import {
  type ChatsPage,
  findChat,
  revealChat,
  viewChat,
  viewChats,
  visibleChat,
  visibleChats,
} from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { findPerson } from '../identity/people.ts'
import { refreshProfile } from '../identity/profile.ts'
import { hello } from '../kinds/hello.ts'
import { leave } from '../kinds/leave.ts'
import { text } from '../kinds/text.ts'
import { newDraft } from '../outbox/compose.ts'
import { sendAbout } from '../outbox/send-about.ts'
import { sendContent } from '../outbox/send-content.ts'
import { sendNewMessage } from '../outbox/send-new-message.ts'
import { acceptRequest } from '../requests/accept-request.ts'
import { blockPerson, unblockPerson } from '../requests/block-person.ts'
import { declineRequest } from '../requests/decline-request.ts'
import { clearHistory, deleteChat } from '../timeline/clear-history.ts'
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

  /** In the order in which they were first seen: all of them, or one page. */
  list(page: ChatsPage = {}): Chat[] {
    return viewChats(this.#core.store, visibleChats(this.#core.store, page))
  }

  /** All chats, as JSON in UTF-8. Where texts are kept, only the chats that have changed are rendered again. */
  listText(): Uint8Array {
    return this.#core.chatTexts?.all() ?? utf8(JSON.stringify(this.list()))
  }

  /** Each chat with its last line, newest first. */
  overview(): ChatOverview[] {
    return overviewOf(this.#core.store, this.#core.own.id)
  }

  get(id: ChatId): Chat {
    return viewChat(this.#core.store, visibleChat(this.#core.store, id))
  }

  /**
   * Opens the private chat and sends a hello in it, with the token of the invite link. By a start link, it sends the
   * command that begins the chat, also in a chat that exists: once for each key.
   */
  async open(target: ChatTarget, within: ClientCallOptions): Promise<Chat> {
    const deadline = this.#callers.deadline(within)
    const { id } = await ensurePrivateChat(this.#core, target, deadline)
    const { token } = target
    if (token !== undefined && isStartLink(token)) await this.#sendStart(id, { ...within, token })
    else await sendContent(this.#core, id, { draft: newDraft(this.#core, hello.body(), token), deadline })
    // A chat that was deleted is shown again: its owner has asked for it.
    if (!findChat(this.#core.store, id)?.visible) await this.#core.store.write(database => revealChat(database, id))
    await this.#learnName(target.account)
    return this.get(id)
  }

  /** Turns a request into an ordinary chat and its person into a contact. */
  async accept(id: ChatId): Promise<Chat> {
    return viewChat(this.#core.store, await acceptRequest(this.#core, id))
  }

  /**
   * Removes a request with everything that came with it. The person is not notified and may ask again; a group is left.
   */
  async decline(id: ChatId): Promise<void> {
    await declineRequest(this.#core, id)
  }

  /** Erases all messages, notices and files of the chat on this device. Others keep their copies. */
  async clearHistory(id: ChatId): Promise<void> {
    await clearHistory(this.#core, id)
  }

  /** The same, and hides the chat until its next message. A group is left. */
  async delete(id: ChatId): Promise<void> {
    await deleteChat(this.#core, id)
  }

  /** Shows a deleted private chat again, on this device alone: nobody is notified. Other chats stay as they are. */
  async reveal(id: ChatId): Promise<void> {
    const { store } = this.#core
    const chat = findChat(store, id)
    if (chat?.type === 'private' && chat.state === 'active' && !chat.visible)
      await store.write(database => revealChat(database, id))
  }

  /** Ignores everything from that account, except in groups that both share with others. */
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

  /** A small picture; null removes it. Anyone who may rename the group may set it. */
  async setGroupPicture(id: ChatId, picture: Uint8Array | null, within: ClientCallOptions): Promise<Chat> {
    return await this.#change(id, within, deadline => setGroupPicture(this.#core, id, { picture, deadline }))
  }

  /** The pictures of the groups that are shown, as data: URLs. A request has none. */
  groupPictures(): { chat: ChatId; picture: string }[] {
    return shownPictures(this.#core.store)
  }

  async leaveGroup(id: ChatId, within: ClientCallOptions): Promise<void> {
    const deadline = this.#callers.deadline(within)
    await this.#callers.once(within, given => sendAbout(this.#core, id, { kind: leave, asked: {}, deadline, ...given }))
  }

  async setTimer(id: ChatId, timerMs: number, within: ClientCallOptions): Promise<Chat> {
    return await this.#change(id, within, deadline => setTimer(this.#core, id, { timerMs, deadline }))
  }

  /** Makes a member an admin, or takes it back. Only an admin may do this, and one admin always stays. */
  async setAdmin(
    id: ChatId,
    named: { account: AccountId; role: MemberRole },
    within: ClientCallOptions,
  ): Promise<Chat> {
    return await this.#change(id, within, deadline => setAdmin(this.#core, id, { ...named, deadline }))
  }

  /** A key whose change was carried out does nothing; one whose change was cut off does what does not hold yet. */
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

  /** The link carries the key of the profile, so the name is shown immediately if the relay has the profile. */
  async #learnName(account: AccountId): Promise<void> {
    const person = findPerson(this.#core.store, account)
    if (person && person.wanted_version > person.profile_version)
      await refreshProfile(this.#core, person).catch(() => undefined)
  }

  async #sendStart(id: ChatId, { token, ...within }: ClientCallOptions & { token: string }): Promise<void> {
    const deadline = this.#callers.deadline(within)
    const asked = { text: START_COMMAND }
    await this.#callers.once(within, given =>
      sendNewMessage(this.#core, id, { kind: text, asked, deadline, token, ...given }),
    )
  }

  async #sayHello(id: ChatId, deadline: Deadline): Promise<void> {
    await sendContent(this.#core, id, { draft: newDraft(this.#core, hello.body()), deadline })
  }
}

/** A member that the first try already removed is no reason to refuse the second try. */
const presentOf = (chat: Chat, members: AccountId[]): AccountId[] =>
  members.filter(account => chat.members.some(member => member.id === account))
