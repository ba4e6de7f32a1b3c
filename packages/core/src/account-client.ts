// One account of the messenger: its connection, its profile, its chats, and the journal of what happened.
import type { Chat } from '@postern/bot-api/objects'
import {
  type AccountId,
  assertKept,
  type ChatId,
  CodedError,
  contentLimits,
  Deadline,
  Lanes,
  nameFault,
  type Within,
} from '@postern/protocol'
import type { Command, Profile } from '@postern/protocol/content'
import { addMembers, removeMembers, renameGroup, setTimer, writableGroup } from './chats/change-members.ts'
import { viewChat, viewChats, visibleChat, visibleChats } from './chats/chats.ts'
import { findAccountKey } from './chats/find-account-key.ts'
import { ensurePrivateChat, openGroupChat } from './chats/open-chat.ts'
import type { Core } from './context.ts'
import { inviteUrl, isRegistered, replaceInvite } from './identity/account.ts'
import { findPerson, profileOf } from './identity/people.ts'
import { changeProfile, ownProfile, type ProfileChange, refreshProfile } from './identity/profile.ts'
import { type SafetyNumber, safetyNumber } from './identity/safety-number.ts'
import type { Journal } from './journal/journal.ts'
import { acceptRequest } from './messages/accept-request.ts'
import { newDraft } from './messages/compose.ts'
import { sendDraft } from './messages/send.ts'
import type { PassedTime } from './storage/passed-time.ts'
import { Records } from './storage/records.ts'
import type { Idempotency } from './storage/sent-keys.ts'
import type { Chores } from './sync/chores.ts'
import { findHome } from './sync/follow-relay.ts'
import type { Inbox } from './sync/inbox.ts'
import type { Timekeeper } from './sync/timekeeper.ts'
import type { Upkeep } from './sync/upkeep.ts'

export type ChatTarget = { account: AccountId; profileKey?: Uint8Array; token?: string }
export type Me = { id: AccountId; name: string; about: string; commands: Command[]; inviteUrl: string }

/** With a key, the same request is carried out once. */
export type Once = Within & { idempotency?: Idempotency }

export type ClientWorkers = {
  inbox: Inbox
  chores: Chores
  timekeeper: Timekeeper
  upkeep: Upkeep
  journal: Journal
}

/** What a client is and can do apart from messages. */
export class AccountClient {
  readonly account: AccountId
  /** The address that is dialled. */
  readonly relayUrl: string
  readonly journal: Journal
  protected readonly core: Core
  readonly #inbox: Inbox
  readonly #chores: Chores
  readonly #timekeeper: Timekeeper
  readonly #upkeep: Upkeep
  readonly #keys = new Lanes<string>()
  #newInvite: Promise<void> | undefined

  constructor(core: Core, { inbox, chores, timekeeper, upkeep, journal }: ClientWorkers) {
    this.core = core
    this.#chores = chores
    this.#timekeeper = timekeeper
    this.#upkeep = upkeep
    this.#inbox = inbox
    this.journal = journal
    this.account = core.own.id
    this.relayUrl = core.relayUrl
  }

  /** Connects, registers at the first time, and keeps connecting; returns at once. */
  start(): void {
    this.core.link.start()
    this.#timekeeper.armDue()
    this.#upkeep.start()
  }

  /**
   * Where another relay is named than the one on which the account is registered: whether the account is found there. `silent`
   * when nobody answers there: it is tried on from the start. Throws `relay-not-home` when the relay there knows nothing of it.
   */
  async followRelay(within: Within): Promise<'found' | 'silent'> {
    if (this.relayUrl !== this.core.own.relayUrl) this.core.link.start()
    return await findHome(this.core, within.deadlineMs)
  }

  async stop(): Promise<void> {
    this.core.link.stop()
    this.core.groups.stop()
    this.core.places.stop()
    this.#inbox.stop()
    this.#timekeeper.stop()
    this.#upkeep.stop()
    await this.core.files.stop()
    await this.#chores.idle()
    await this.#inbox.idle()
    await this.core.passed.stop()
    this.core.store.close()
  }

  /** For what the program around a client lets grow old: over restarts too, whatever the machine's clock is set to. */
  get passed(): Pick<PassedTime, 'nowMs' | 'isKnown'> {
    return this.core.passed
  }

  get isOnline(): boolean {
    return this.core.link.isOnline
  }

  get isRegistered(): boolean {
    return isRegistered(this.core.store)
  }

  onConnectionChange(listener: () => void): () => void {
    return this.core.link.onChange(listener)
  }

  async whenOnline(within: Within): Promise<void> {
    await this.core.link.whenOnline(within.deadlineMs)
  }

  me(): Me {
    const { name, about, commands } = ownProfile(this.core.store).profile
    return { id: this.account, name, about, commands, inviteUrl: inviteUrl(this.core.own) }
  }

  /** Durable here at once; the relay gets it when it can be reached, others with the next message. */
  async setProfile(change: ProfileChange): Promise<void> {
    await changeProfile(this.core.store, this.core.own, change)
    this.core.poke()
  }

  /** A new invite link: who comes with an older one is a stranger from now on. Those who ask at the same time get the same. */
  async newInvite(): Promise<Me> {
    this.#newInvite ??= replaceInvite(this.core).finally(() => {
      this.#newInvite = undefined
    })
    await this.#newInvite
    return this.me()
  }

  /** As far as it is known here. */
  profileOf(account: AccountId): Profile & { id: AccountId } {
    return profileOf(this.core.store, account)
  }

  /** As it is now, if the key to it is known and the relay can be reached. */
  async learnProfile(account: AccountId, within: Within): Promise<Profile & { id: AccountId }> {
    await this.core.link.whenOnline(within.deadlineMs)
    const person = findPerson(this.core.store, account)
    if (person?.profile_key) await refreshProfile(this.core, person)
    return this.profileOf(account)
  }

  /** What both compare to be sure that nobody stands between them. */
  async safetyNumber(account: AccountId, within: Within): Promise<SafetyNumber & { account: AccountId }> {
    if (account === this.account)
      throw new CodedError('bad-field', { field: 'account', rule: 'an account has no safety number with itself' })
    const { provider, own } = this.core
    const key = await findAccountKey(this.core, account, this.deadline(within))
    return { account, ...safetyNumber(provider, own.publicKey, key) }
  }

  /** A place for what the program around this client must remember. */
  records(shelf: string): Records {
    return new Records(this.core.store, shelf)
  }

  chats(): Chat[] {
    return viewChats(this.core.store, visibleChats(this.core.store))
  }

  chat(id: ChatId): Chat {
    return viewChat(this.core.store, visibleChat(this.core.store, id))
  }

  /** Opens the private chat and says hello in it, with the token of the link by which one came. */
  async openChat(target: ChatTarget, within: Within): Promise<Chat> {
    const deadline = this.deadline(within)
    const { id } = await ensurePrivateChat(this.core, target, deadline)
    const draft = newDraft(this.core, { kind: 'hello' }, target.token)
    await sendDraft(this.core, id, { draft, deadline })
    await this.#learnName(target.account)
    return this.chat(id)
  }

  async acceptChat(id: ChatId): Promise<Chat> {
    return viewChat(this.core.store, await acceptRequest(this.core, id))
  }

  async createGroup(group: { name: string; members: AccountId[] }, within: Once): Promise<Chat> {
    assertKept('name', nameFault(group.name, contentLimits.groupNameCharsMax))
    const deadline = this.deadline(within)
    return await this.once(within, async idempotency => {
      const { id } = await openGroupChat(this.core, { ...group, deadline, ...idempotency })
      await this.#sayHello(id, deadline)
      return this.chat(id)
    })
  }

  async addMembers(id: ChatId, members: AccountId[], within: Within): Promise<Chat> {
    const deadline = this.deadline(within)
    await addMembers(this.core, id, { members, deadline })
    await this.#sayHello(id, deadline)
    return this.chat(id)
  }

  async removeMembers(id: ChatId, members: AccountId[], within: Within): Promise<Chat> {
    await removeMembers(this.core, id, { members, deadline: this.deadline(within) })
    return this.chat(id)
  }

  async renameGroup(id: ChatId, name: string, within: Within): Promise<Chat> {
    assertKept('name', nameFault(name, contentLimits.groupNameCharsMax))
    await renameGroup(this.core, id, { name, deadline: this.deadline(within) })
    return this.chat(id)
  }

  async leaveGroup(id: ChatId, within: Within): Promise<void> {
    writableGroup(this.core, id)
    const draft = newDraft(this.core, { kind: 'leave' })
    await sendDraft(this.core, id, { draft, deadline: this.deadline(within) })
  }

  async setTimer(id: ChatId, timerMs: number, within: Within): Promise<Chat> {
    await setTimer(this.core, id, { timerMs, deadline: this.deadline(within) })
    return this.chat(id)
  }

  /** Requests under one key wait for each other: the second finds what became of the first. */
  protected async once<T>(
    { idempotency }: Once,
    work: (given: { idempotency?: Idempotency }) => Promise<T>,
  ): Promise<T> {
    return idempotency ? await this.#keys.run(idempotency.key, () => work({ idempotency })) : await work({})
  }

  protected deadline(within: Within): Deadline {
    return new Deadline(this.core.clock, within)
  }

  /** A link carries the key of the profile: whoever opens it sees the name at once, if the relay has it. */
  async #learnName(account: AccountId): Promise<void> {
    const person = findPerson(this.core.store, account)
    if (person && person.wanted_version > person.profile_version)
      await refreshProfile(this.core, person).catch(() => undefined)
  }

  async #sayHello(id: ChatId, deadline: Deadline): Promise<void> {
    await sendDraft(this.core, id, { draft: newDraft(this.core, { kind: 'hello' }), deadline })
  }
}
