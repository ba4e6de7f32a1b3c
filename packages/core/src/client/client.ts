// A client of the messenger: one account with its connection, journal, chats, messages, files and identity.
import type { AccountId, CodedError, TimeoutOption } from '@postern/protocol'
import type { Core } from '../context.ts'
import { isRegistered } from '../identity/account.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Journal } from '../journal/journal.ts'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'
import { Records } from '../storage/state/records.ts'
import type { TopicListener } from '../storage/transactions/store.ts'
import type { Chores } from '../upkeep/chores.ts'
import { findHome } from '../upkeep/follow-relay.ts'
import type { Timekeeper } from '../upkeep/timekeeper.ts'
import type { Upkeep } from '../upkeep/upkeep.ts'
import { Callers } from './callers.ts'
import { ClientChats } from './chats.ts'
import { ClientFiles } from './files.ts'
import { ClientGroupLinks } from './group-links.ts'
import { ClientIdentity } from './identity.ts'
import { ClientInvites } from './invites.ts'
import { ClientMessages } from './messages.ts'
import { ClientPushes } from './pushes.ts'
import { ClientTyping } from './typing.ts'

export type ClientWorkers = {
  inbox: Inbox
  chores: Chores
  timekeeper: Timekeeper
  upkeep: Upkeep
  journal: Journal
}

export class Client {
  readonly account: AccountId
  /** The address that the client dials. */
  readonly relayUrl: string
  readonly journal: Journal
  readonly chats: ClientChats
  readonly groupLinks: ClientGroupLinks
  readonly messages: ClientMessages
  readonly files: ClientFiles
  readonly identity: ClientIdentity
  readonly invites: ClientInvites
  readonly pushes: ClientPushes
  readonly typing: ClientTyping
  /** The parts of the client. Only tests use this. */
  protected readonly core: Core
  readonly #workers: ClientWorkers

  constructor(core: Core, workers: ClientWorkers) {
    this.core = core
    this.#workers = workers
    this.journal = workers.journal
    this.account = core.own.id
    this.relayUrl = core.relayUrl
    const callers = new Callers(core.clock)
    this.chats = new ClientChats(core, callers)
    this.groupLinks = new ClientGroupLinks(core, callers, this.chats)
    this.messages = new ClientMessages(core, callers)
    this.files = new ClientFiles(core, callers)
    this.identity = new ClientIdentity(core, callers)
    this.invites = new ClientInvites(core, callers)
    this.pushes = new ClientPushes(core)
    this.typing = new ClientTyping(core, callers)
  }

  /** Connects, registers the account at its first start, and keeps connecting. Returns immediately. */
  start(): void {
    this.core.link.start()
    this.#workers.timekeeper.armDue()
    this.#workers.upkeep.start()
  }

  /**
   * Checks whether the account exists at `relayUrl` when that is not the relay on which the account is registered.
   * Returns `silent` when nothing answers there; the client keeps trying from `start` on. Throws `relay-not-home` when
   * the relay there does not know the account.
   */
  async followRelay(within: TimeoutOption): Promise<'found' | 'silent'> {
    if (this.relayUrl !== this.core.own.relayUrl) this.core.link.start()
    return await findHome(this.core, within.timeoutMs)
  }

  async stop(): Promise<void> {
    this.#workers.inbox.stop()
    this.core.link.stop()
    this.core.typists.stop()
    this.core.groups.stop()
    this.core.sendSlots.stop()
    this.#workers.timekeeper.stop()
    this.#workers.upkeep.stop()
    await this.core.files.stop()
    await this.#workers.chores.idle()
    await this.#workers.inbox.idle()
    await this.core.elapsed.stop()
    this.core.store.close()
  }

  /**
   * Time by which the program around a client lets data expire.
   * It survives restarts and ignores changes of the machine's clock.
   */
  get elapsed(): Pick<ElapsedClock, 'nowMs' | 'isKnown' | 'offMs'> {
    return this.core.elapsed
  }

  get isOnline(): boolean {
    return this.core.link.isOnline
  }

  /** Another device has since connected with this account. */
  get isReplaced(): boolean {
    return this.core.link.isReplaced
  }

  /** Why the relay rejects this account, when retrying will not help. */
  get refusal(): CodedError | undefined {
    return this.core.link.refusal
  }

  /** Why the last connection to the relay ended or was not made; undefined while online, and before the first attempt has ended. */
  get lostReason(): string | undefined {
    return this.core.link.lostReason
  }

  get isRegistered(): boolean {
    return isRegistered(this.core.store)
  }

  /** How many unused key packages the relay still has. Undefined until the relay has reported it. */
  get keyPackagesLeft(): number | undefined {
    return this.#workers.chores.keyPackages.left()
  }

  onConnectionChange(listener: () => void): () => void {
    return this.core.link.onChange(listener)
  }

  /**
   * Calls the listener with the topics that a screen may have to read again,
   * after each commit and when the connection changes.
   */
  onChange(listener: TopicListener): () => void {
    const ends = [
      this.core.store.onChange(listener),
      this.core.link.onChange(() => this.core.store.touch('connection')),
      this.core.typists.onChange(({ chat, state }) => {
        if (state !== 'drafting') this.core.store.touch('typing')
        if (state !== 'typing') this.core.store.touch(`draft:${chat}`)
      }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }

  async whenOnline(within: TimeoutOption): Promise<void> {
    await this.core.link.whenOnline(within.timeoutMs)
  }

  /**
   * Resolves when the relay has told whether this database was restored from a backup, and the ids after a restore are
   * skipped. Rejects with `relay-unreachable` when that takes longer.
   */
  async whenNewest(within: TimeoutOption): Promise<void> {
    if (!this.core.device.isNewest) await this.whenOnline(within)
  }

  /** Freezes the database file for a copy until the returned function is called. See `Store.hold`. */
  holdDatabase(): () => void {
    return this.core.store.hold()
  }

  /** Storage for data of the program around this client. */
  records(shelf: string): Records {
    return new Records(this.core.store, shelf)
  }
}
