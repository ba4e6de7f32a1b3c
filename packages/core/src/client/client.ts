// A client of the messenger: one account with its connection and its journal, its chats, messages, files and identity.
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
import { ClientIdentity } from './identity.ts'
import { ClientMessages } from './messages.ts'

export type ClientWorkers = {
  inbox: Inbox
  chores: Chores
  timekeeper: Timekeeper
  upkeep: Upkeep
  journal: Journal
}

export class Client {
  readonly account: AccountId
  /** The address that is dialled. */
  readonly relayUrl: string
  readonly journal: Journal
  readonly chats: ClientChats
  readonly messages: ClientMessages
  readonly files: ClientFiles
  readonly identity: ClientIdentity
  /** For tests alone: what the parts of the client share. */
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
    this.messages = new ClientMessages(core, callers)
    this.files = new ClientFiles(core, callers)
    this.identity = new ClientIdentity(core, callers)
  }

  /** Connects, registers at the first time, and keeps connecting; returns at once. */
  start(): void {
    this.core.link.start()
    this.#workers.timekeeper.armDue()
    this.#workers.upkeep.start()
  }

  /**
   * Where another relay is named than the one on which the account is registered: whether the account is found there. `silent`
   * when nobody answers there: it is tried on from the start. Throws `relay-not-home` when the relay there knows nothing of it.
   */
  async followRelay(within: TimeoutOption): Promise<'found' | 'silent'> {
    if (this.relayUrl !== this.core.own.relayUrl) this.core.link.start()
    return await findHome(this.core, within.timeoutMs)
  }

  async stop(): Promise<void> {
    this.#workers.inbox.stop()
    this.core.link.stop()
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

  /** For what the program around a client lets grow old: over restarts too, whatever the machine's clock is set to. */
  get elapsed(): Pick<ElapsedClock, 'nowMs' | 'isKnown' | 'offMs'> {
    return this.core.elapsed
  }

  get isOnline(): boolean {
    return this.core.link.isOnline
  }

  /** Another device has connected with this account since. */
  get isReplaced(): boolean {
    return this.core.link.isReplaced
  }

  /** Why the relay does not let this account in, where trying again will not help. */
  get refusal(): CodedError | undefined {
    return this.core.link.refusal
  }

  get isRegistered(): boolean {
    return isRegistered(this.core.store)
  }

  /** How many can still come to this account with keys of their own; undefined before the relay has said it. */
  get keyPackagesLeft(): number | undefined {
    return this.#workers.chores.keyPackages.left()
  }

  onConnectionChange(listener: () => void): () => void {
    return this.core.link.onChange(listener)
  }

  /** Called with what a screen may have to read again: after each commit, and when the connection comes or goes. */
  onChange(listener: TopicListener): () => void {
    const ends = [
      this.core.store.onChange(listener),
      this.core.link.onChange(() => this.core.store.touch('connection')),
    ]
    return () => {
      for (const end of ends) end()
    }
  }

  async whenOnline(within: TimeoutOption): Promise<void> {
    await this.core.link.whenOnline(within.timeoutMs)
  }

  /** The database's file stands still until the returned function is called: for a copy of it. See `Store.hold`. */
  holdDatabase(): () => void {
    return this.core.store.hold()
  }

  /** A place for what the program around this client must remember. */
  records(shelf: string): Records {
    return new Records(this.core.store, shelf)
  }
}
