// A client of the messenger: one account, its chats, and the journal of what happened.
import {
  type AccountId,
  type ChatId,
  type Clock,
  CodedError,
  charCount,
  contentLimits,
  isAccountId,
  type MessageId,
} from '@postern/protocol'
import type { Command, Mention, Profile } from '@postern/protocol/content'
import type { Chat, Message } from '@postern/protocol/objects'
import { addMembers, removeMembers, renameGroup, writableGroup } from './chats/change-members.ts'
import { findChat, setChatState, viewChat, visibleChat, visibleChats } from './chats/chats.ts'
import { ensurePrivateChat, openGroupChat } from './chats/open-chat.ts'
import type { Core, RequestPolicy } from './context.ts'
import { Deadline, type Within } from './deadline.ts'
import { GroupSessions } from './groups/group-sessions.ts'
import {
  createAccount,
  type FirstStart,
  inviteUrl,
  isRegistered,
  loadAccount,
  proveAccount,
} from './identity/account.ts'
import { findPerson, profileOf } from './identity/people.ts'
import { changeProfile, ownProfile, type ProfileChange, refreshProfile } from './identity/profile.ts'
import { Journal } from './journal/journal.ts'
import { Lanes } from './lanes.ts'
import type { Log } from './log.ts'
import { acceptRequest } from './messages/accept-request.ts'
import { newDraft } from './messages/compose.ts'
import { findMessage, listMessages, viewMessage } from './messages/messages.ts'
import { sendDraft } from './messages/send.ts'
import { makeMlsContext } from './mls/mls-context.ts'
import type { MlsProvider } from './mls/provider.ts'
import { RelayLink } from './relay-link/relay-link.ts'
import type { SocketFactory } from './relay-link/socket.ts'
import type { Store } from './storage/store.ts'
import { Chores } from './sync/chores.ts'
import { Inbox } from './sync/inbox.ts'
import { startSession } from './sync/start-session.ts'

export interface ClientParts {
  store: Store
  provider: MlsProvider
  clock: Clock
  log: Log
  connect: SocketFactory
  jitter: () => number
  acceptRequests: RequestPolicy
  /** Asked only when there is no account yet; what it throws stops the opening. */
  firstStart: () => FirstStart
}

export type ChatTarget = { account: AccountId; profileKey?: Uint8Array; token?: string }
export type NewText = { text: string; replyTo?: MessageId; mentions?: Mention[] }
export type Me = { id: AccountId; name: string; about: string; commands: Command[]; inviteUrl: string }

export async function openClient(parts: ClientParts): Promise<Client> {
  const own = loadAccount(parts.store) ?? (await createAccount(parts, parts.firstStart()))
  const mls = makeMlsContext(parts.provider, () => Math.floor(parts.clock.nowMs() / 1000))
  const link = new RelayLink({
    relayUrl: own.relayUrl,
    connect: parts.connect,
    clock: parts.clock,
    log: parts.log,
    jitter: parts.jitter,
    prove: (nonce, audience) => proveAccount({ ...parts, own }, { nonce, audience }),
    onSession: session => startSession(core, { inbox, chores, journal }, session),
    onEntries: entries => inbox.take(entries),
  })
  const core: Core = {
    ...parts,
    own,
    mls,
    link,
    groups: new GroupSessions({ store: parts.store, mls, clock: parts.clock }),
    openings: new Lanes(),
    sending: new Set(),
    poke: () => chores.poke(),
  }
  const journal = new Journal(parts.store)
  const inbox = new Inbox(core, journal)
  const chores = new Chores(core)
  return new Client(core, { inbox, chores, journal })
}

export class Client {
  readonly account: AccountId
  readonly relayUrl: string
  readonly journal: Journal
  readonly #core: Core
  readonly #inbox: Inbox
  readonly #chores: Chores

  constructor(core: Core, { inbox, chores, journal }: { inbox: Inbox; chores: Chores; journal: Journal }) {
    this.#core = core
    this.#chores = chores
    this.#inbox = inbox
    this.journal = journal
    this.account = core.own.id
    this.relayUrl = core.own.relayUrl
  }

  /** Connects, registers at the first time, and keeps connecting; returns at once. */
  start(): void {
    this.#core.link.start()
  }

  async stop(): Promise<void> {
    this.#core.link.stop()
    this.#core.groups.stop()
    this.#inbox.stop()
    await this.#chores.idle()
    await this.#inbox.idle()
    this.#core.store.close()
  }

  get isOnline(): boolean {
    return this.#core.link.isOnline
  }

  get isRegistered(): boolean {
    return isRegistered(this.#core.store)
  }

  onConnectionChange(listener: () => void): () => void {
    return this.#core.link.onChange(listener)
  }

  async whenOnline(within: Within): Promise<void> {
    await this.#core.link.whenOnline(within.deadlineMs)
  }

  me(): Me {
    const { name, about, commands } = ownProfile(this.#core.store).profile
    return { id: this.account, name, about, commands, inviteUrl: inviteUrl(this.#core.own) }
  }

  async setProfile(change: ProfileChange): Promise<void> {
    await changeProfile(this.#core.store, this.#core.own, change)
    this.#core.poke()
  }

  profileOf(account: AccountId): Profile & { id: AccountId } {
    return profileOf(this.#core.store, account)
  }

  chats(): Chat[] {
    return visibleChats(this.#core.store).map(row => viewChat(this.#core.store, row))
  }

  chat(id: ChatId): Chat {
    return viewChat(this.#core.store, visibleChat(this.#core.store, id))
  }

  /** Opens the private chat and says hello in it, with the token of the link by which one came. */
  async openChat(target: ChatTarget, within: Within): Promise<Chat> {
    const deadline = this.#deadline(within)
    const { id } = await ensurePrivateChat(this.#core, target, deadline)
    const draft = newDraft(this.#core, { kind: 'hello' }, target.token)
    await sendDraft(this.#core, id, { draft, deadline })
    await this.#learnName(target.account)
    return this.chat(id)
  }

  async acceptChat(id: ChatId): Promise<Chat> {
    return viewChat(this.#core.store, await acceptRequest(this.#core, id))
  }

  async createGroup(group: { name: string; members: AccountId[] }, within: Within): Promise<Chat> {
    assertGroupName(group.name)
    const deadline = this.#deadline(within)
    const { id } = await openGroupChat(this.#core, { ...group, deadline })
    await this.#sayHello(id, deadline)
    return this.chat(id)
  }

  async addMembers(id: ChatId, members: AccountId[], within: Within): Promise<Chat> {
    const deadline = this.#deadline(within)
    await addMembers(this.#core, id, { members, deadline })
    await this.#sayHello(id, deadline)
    return this.chat(id)
  }

  async removeMembers(id: ChatId, members: AccountId[], within: Within): Promise<Chat> {
    await removeMembers(this.#core, id, { members, deadline: this.#deadline(within) })
    return this.chat(id)
  }

  async renameGroup(id: ChatId, name: string, within: Within): Promise<Chat> {
    assertGroupName(name)
    await renameGroup(this.#core, id, { name, deadline: this.#deadline(within) })
    return this.chat(id)
  }

  async leaveGroup(id: ChatId, within: Within): Promise<void> {
    writableGroup(this.#core, id)
    const draft = newDraft(this.#core, { kind: 'leave' })
    await sendDraft(this.#core, id, { draft, deadline: this.#deadline(within) })
    await this.#core.store.write(database => setChatState(database, id, 'left'))
  }

  /** A person never met: the private chat is opened first. Resolves when the relay has the message durably. */
  async sendText(id: ChatId, text: NewText, within: Within): Promise<Message> {
    assertText(text.text)
    const deadline = this.#deadline(within)
    if (isAccountId(id)) await this.#ensureOpen(id, deadline)
    const draft = newDraft(this.#core, { kind: 'text', ...text })
    const row = await sendDraft(this.#core, id, { draft, deadline })
    if (!row) throw new CodedError('internal')
    return viewMessage(this.#core.store, row, this.account)
  }

  /** Oldest first; the newest page when `beforeTs` is absent. */
  messages(id: ChatId, page: { beforeTs?: number; limit: number }): Message[] {
    visibleChat(this.#core.store, id)
    return listMessages(this.#core.store, id, page).map(row => viewMessage(this.#core.store, row, this.account))
  }

  message(id: ChatId, message: MessageId): Message {
    visibleChat(this.#core.store, id)
    return viewMessage(this.#core.store, findMessage(this.#core.store, id, message), this.account)
  }

  async #ensureOpen(account: AccountId, deadline: Deadline): Promise<void> {
    const known = findChat(this.#core.store, account as string as ChatId)
    // A request waits for a decision: writing to it must not open another chat past it.
    if (known?.state === 'request')
      throw new CodedError(known.visible ? 'chat-is-request' : 'chat-not-found', { chat: account })
    await ensurePrivateChat(this.#core, { account }, deadline)
  }

  /** A link carries the key of the profile: whoever opens it sees the name at once, if the relay has it. */
  async #learnName(account: AccountId): Promise<void> {
    const person = findPerson(this.#core.store, account)
    if (person && person.wanted_version > person.profile_version)
      await refreshProfile(this.#core, person).catch(() => undefined)
  }

  async #sayHello(id: ChatId, deadline: Deadline): Promise<void> {
    await sendDraft(this.#core, id, { draft: newDraft(this.#core, { kind: 'hello' }), deadline })
  }

  #deadline(within: Within): Deadline {
    return new Deadline(this.#core.clock, within)
  }
}

function assertText(text: string): void {
  const count = charCount(text)
  if (count < 1 || count > contentLimits.textCharsMax)
    throw new CodedError('bad-field', {
      field: 'text',
      rule: `1 to ${contentLimits.textCharsMax} characters are allowed`,
    })
}

function assertGroupName(name: string): void {
  const count = charCount(name)
  if (count < 1 || count > contentLimits.groupNameCharsMax)
    throw new CodedError('bad-field', {
      field: 'name',
      rule: `1 to ${contentLimits.groupNameCharsMax} characters are allowed`,
    })
}
