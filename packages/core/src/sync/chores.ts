// What is to be done and no caller waits for: found in the database, so that a restart goes on with it.
import { type AccountId, type ChatId, clientLimits, type GroupId, isCoded } from '@postern/protocol'
import { membersOf, otherPerson, visibleChats } from '../chats/chats.ts'
import { ensurePrivateChat } from '../chats/open-chat.ts'
import { addAnew, wantedRejoins } from '../chats/rejoin.ts'
import type { Core } from '../context.ts'
import { Deadline } from '../deadline.ts'
import { settlePending } from '../groups/commit-group.ts'
import { findGroup, groupsWithPending } from '../groups/group-records.ts'
import { publishKeyPackages } from '../identity/key-packages.ts'
import { peopleToRefresh } from '../identity/people.ts'
import { publishProfile, refreshProfile } from '../identity/profile.ts'
import { newDraft } from '../messages/compose.ts'
import { settleInDoubt } from '../messages/outbox.ts'
import { sendDraft } from '../messages/send.ts'

const PROFILES_PER_ROUND = 50
/** How many members are asked to add this account anew: one may be away. */
const REJOIN_ASKED = 3

type BrokenChat = { id: ChatId; group: GroupId }

export class Chores {
  readonly #core: Core
  #isRunning = false
  #isPoked = false
  #keyPackagesAtRelay = 0
  #mustReplaceKeyPackages = false
  readonly #asked = new Set<GroupId>()

  constructor(core: Core) {
    this.#core = core
  }

  /** What the relay has of our key packages; after a restore they are replaced. */
  noteKeyPackages(atRelay: number, { replace }: { replace: boolean }): void {
    this.#keyPackagesAtRelay = atRelay
    this.#mustReplaceKeyPackages ||= replace
  }

  poke(): void {
    this.#isPoked = true
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    // What pokes is often part of a transaction that is not written yet.
    await Promise.resolve()
    while (this.#isPoked && this.#core.link.isOnline) {
      this.#isPoked = false
      await this.#round()
    }
    this.#isRunning = false
  }

  async #round(): Promise<void> {
    const { store } = this.#core
    await this.#attempt('key packages', () => this.#publishKeyPackages())
    await this.#attempt('profile', () => publishProfile(this.#core))
    await this.#attempt('outbox', () => settleInDoubt(this.#core))
    for (const group of groupsWithPending(store))
      await this.#attempt('commit', () => settlePending(this.#core, group, this.#deadline()))
    for (const chat of this.#unreadableChats()) await this.#attempt('heal', () => this.#heal(chat))
    for (const rejoin of wantedRejoins(this.#core))
      await this.#attempt('rejoin', () => addAnew(this.#core, rejoin, this.#deadline()))
    for (const chat of this.#chatsToGreet()) await this.#attempt('hello', () => this.#sayHello(chat))
    for (const person of peopleToRefresh(store, PROFILES_PER_ROUND))
      await this.#attempt('profiles', () => refreshProfile(this.#core, person))
  }

  /** One chore that fails keeps no other from being done; it is tried again at the next poke or connection. */
  async #attempt(chore: string, work: () => Promise<unknown>): Promise<void> {
    if (!this.#core.link.isOnline) return
    try {
      await work()
    } catch (error) {
      const isQuiet = isCoded(error, 'relay-unreachable', 'send-in-doubt', 'stopping')
      this.#core.log[isQuiet ? 'debug' : 'warn']({ chore, error: String(error) }, 'a chore was not done')
    }
  }

  async #publishKeyPackages(): Promise<void> {
    const replace = this.#mustReplaceKeyPackages
    await publishKeyPackages(this.#core, { atRelay: this.#keyPackagesAtRelay, replace })
    this.#mustReplaceKeyPackages = false
    this.#keyPackagesAtRelay = Math.max(this.#keyPackagesAtRelay, clientLimits.keyPackagesLow)
  }

  async #sayHello(chat: ChatId): Promise<void> {
    await sendDraft(this.#core, chat, { draft: newDraft(this.#core, { kind: 'hello' }), deadline: this.#deadline() })
  }

  #chatsToGreet(): ChatId[] {
    return this.#core.store
      .all<{ id: ChatId }>(
        `SELECT chat.id FROM chat JOIN mls_group ON mls_group.id = chat.group_id
         WHERE mls_group.needs_hello = 2 AND mls_group.status = 'open' AND chat.state = 'active' AND chat.visible = 1`,
      )
      .map(row => row.id)
  }

  #unreadableChats(): BrokenChat[] {
    return this.#core.store.all<BrokenChat>(
      `SELECT chat.id, chat.group_id AS "group" FROM chat JOIN mls_group ON mls_group.id = chat.group_id
       WHERE mls_group.status = 'broken' AND chat.state = 'active'`,
    )
  }

  /** A private chat gets its next generation; in a group another member is asked to add this account anew. */
  async #heal({ id, group }: BrokenChat): Promise<void> {
    const chat = visibleChats(this.#core.store).find(row => row.id === id)
    const other = chat && otherPerson(chat)
    if (other) {
      await ensurePrivateChat(this.#core, { account: other }, this.#deadline())
      await this.#sayHello(id)
      return
    }
    if (this.#asked.has(group)) return
    for (const account of this.#membersToAsk(id, group)) {
      const { id: privately } = await ensurePrivateChat(this.#core, { account }, this.#deadline())
      const draft = newDraft(this.#core, { kind: 'rejoin', group })
      await sendDraft(this.#core, privately, { draft, deadline: this.#deadline() })
    }
    this.#asked.add(group)
  }

  #membersToAsk(chat: ChatId, group: GroupId): AccountId[] {
    const { store, own } = this.#core
    const inviter = findGroup(store, group)?.inviter
    const rank = (member: { account_id: AccountId; admin: number }) =>
      member.account_id === inviter ? 0 : member.admin ? 1 : 2
    return membersOf(store, chat)
      .filter(member => member.account_id !== own.id && !member.leaving)
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, REJOIN_ASKED)
      .map(member => member.account_id)
  }

  #deadline(): Deadline {
    return new Deadline(this.#core.clock, { deadlineMs: clientLimits.requestTimeoutMs })
  }
}
