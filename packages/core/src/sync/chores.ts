// What is to be done and no caller waits for: found in the database, so that a restart goes on with it.
import { type ChatId, clientLimits, Deadline, isCoded, Seldom } from '@postern/protocol'
import { addAnew, wantedRejoins } from '../chats/rejoin.ts'
import { repairLists, waitingRepairs } from '../chats/repair-lists.ts'
import { restartGroup, waitingRestarts } from '../chats/restart-group.ts'
import type { Core } from '../context.ts'
import { settlePending } from '../groups/commit-group.ts'
import { groupsWithPending } from '../groups/group-records.ts'
import { KeyPackageSupply } from '../identity/key-package-supply.ts'
import { peopleToRefresh } from '../identity/people.ts'
import { publishProfile, refreshProfile } from '../identity/profile.ts'
import { askForMark } from '../messages/ask-for-mark.ts'
import { openQuestions } from '../messages/compare-marks.ts'
import { newDraft } from '../messages/compose.ts'
import { settleInDoubt } from '../messages/outbox.ts'
import { dueReceipts, sendReceipt } from '../messages/receipts.ts'
import { sendDraft } from '../messages/send.ts'
import { healChats } from './heal-chats.ts'
import { PollEnds } from './poll-ends.ts'
import { dueRenewals, renewKeys } from './renew-keys.ts'

const PROFILES_PER_ROUND = 50

type RingingCall = { chat: ChatId; call: string }

export class Chores {
  readonly #core: Core
  readonly #calls: RingingCall[] = []
  readonly keyPackages: KeyPackageSupply
  readonly #pollEnds: PollEnds
  #running: Promise<void> | undefined
  #isPoked = false
  readonly #faults: Seldom

  constructor(core: Core) {
    this.#core = core
    this.#faults = new Seldom(core.clock, clientLimits.faultSaidEveryMs)
    this.keyPackages = new KeyPackageSupply(core)
    this.#pollEnds = new PollEnds(core)
    core.link.onChange(() => core.link.isOnline && this.poke())
  }

  /** From time to time: what the relay has of them, and how old they are. */
  lookAfterKeys(): void {
    this.keyPackages.look()
    this.poke()
  }

  /** Not kept over a restart: by then nobody rings any more. */
  decline(call: RingingCall): void {
    this.#calls.push(call)
    this.poke()
  }

  poke(): void {
    this.#isPoked = true
    if (this.#core.link.isOnline) this.#running ??= this.#run()
  }

  /** Once the link has stopped, what is under way fails soon. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      // Ended in the turn in which nothing was to be done: whoever pokes after that begins anew.
      while (this.#isPoked && this.#core.link.isOnline) {
        this.#isPoked = false
        // What pokes is often part of a transaction that is not written yet.
        await this.#core.store.caughtUp()
        await this.#round()
      }
    } catch (error) {
      // The program stops, or the disk is full: the next poke or connection begins again.
      this.#core.log.debug({ error: String(error) }, 'the chores were cut off')
    } finally {
      this.#running = undefined
    }
  }

  async #round(): Promise<void> {
    const { store } = this.#core
    await this.#attempt('key packages', () => this.keyPackages.tend())
    await this.#attempt('profile', () => publishProfile(this.#core))
    await this.#attempt('outbox', () => settleInDoubt(this.#core))
    await this.#attempt('polls', () => this.#pollEnds.tend())
    await this.#attempt('files', () => this.#core.files.tidy())
    for (const group of groupsWithPending(store))
      await this.#attempt('commit', () => settlePending(this.#core, group, this.#deadline()))
    await this.#attempt('heal', () => healChats(this.#core, this.#deadline()))
    for (const rejoin of wantedRejoins(this.#core))
      await this.#attempt('rejoin', () => addAnew(this.#core, rejoin, this.#deadline()))
    for (const restart of waitingRestarts(this.#core).filter(this.#isDue))
      await this.#attempt('restart', () => restartGroup(this.#core, restart, this.#deadline()))
    for (const { group } of waitingRepairs(this.#core).filter(this.#isDue))
      await this.#attempt('repair', () => repairLists(this.#core, group, this.#deadline()))
    for (const question of openQuestions(this.#core))
      await this.#attempt('compare', () => askForMark(this.#core, question, this.#deadline()))
    for (const chat of this.#chatsToGreet()) await this.#attempt('hello', () => this.#sayHello(chat))
    for (const call of this.#calls.splice(0)) await this.#attempt('decline', () => this.#declineCall(call))
    for (const due of dueReceipts(this.#core))
      await this.#attempt('receipts', () => sendReceipt(this.#core, due, this.#deadline()))
    for (const person of peopleToRefresh(store, PROFILES_PER_ROUND))
      await this.#attempt('profiles', () => refreshProfile(this.#core, person))
    for (const due of dueRenewals(this.#core))
      await this.#attempt('new keys', () => renewKeys(this.#core, due, this.#deadline()))
  }

  readonly #isDue = ({ dueMs }: { dueMs: number }): boolean => dueMs <= this.#core.passed.nowMs()

  /** One chore that fails keeps no other from being done; it is tried again at the next poke or connection. */
  async #attempt(chore: string, work: () => Promise<unknown>): Promise<void> {
    if (!this.#core.link.isOnline) return
    try {
      await work()
    } catch (error) {
      const isQuiet = isCoded(error, 'relay-unreachable', 'send-in-doubt', 'stopping')
      const said = { chore, error: String(error) }
      if (isQuiet) return this.#core.log.debug(said, 'a chore was not done')
      const fault = `${chore} ${isCoded(error) ? error.code : ''}`
      this.#faults.say(fault, unsaid => this.#core.log.warn({ ...said, ...unsaid }, 'a chore was not done'))
    }
  }

  async #declineCall({ chat, call }: RingingCall): Promise<void> {
    const draft = newDraft(this.#core, { kind: 'call', call, state: 'declined' })
    await sendDraft(this.#core, chat, { draft, deadline: this.#deadline() })
  }

  async #sayHello(chat: ChatId): Promise<void> {
    await sendDraft(this.#core, chat, { draft: newDraft(this.#core, { kind: 'hello' }), deadline: this.#deadline() })
  }

  #chatsToGreet(): ChatId[] {
    return this.#core.store
      .all<{ id: ChatId }>(
        // From the few groups to their chats: the other way round, every round of chores would look at every chat.
        `SELECT chat.id FROM mls_group CROSS JOIN chat
           ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id
         WHERE mls_group.needs_hello = 2 AND mls_group.status = 'open' AND chat.state = 'active' AND chat.visible = 1`,
      )
      .map(row => row.id)
  }

  #deadline(): Deadline {
    return new Deadline(this.#core.clock, { deadlineMs: clientLimits.requestTimeoutMs })
  }
}
