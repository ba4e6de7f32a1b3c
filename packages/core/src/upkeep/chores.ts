// Work that no caller awaits. It is found in the database, so that a restart continues it.
import { type ChatId, clientLimits, Deadline, faultFields, isCoded, LogThrottle } from '@postern/protocol'
import { removeReturned } from '../chats/members/remove-returned.ts'
import { repairRosters, waitingRepairs } from '../chats/members/repair-rosters.ts'
import { chatsToGreet, groupsToLeave } from '../chats/records/chats-by-group.ts'
import { answersDue } from '../chats/records/join-requests.ts'
import { wantedRejoins } from '../chats/records/rejoins.ts'
import { chatsWithReturned } from '../chats/records/removals.ts'
import type { Core } from '../context.ts'
import { settlePending } from '../groups/commit-group.ts'
import { derivePreviewKey } from '../groups/derive-preview-key.ts'
import { openQuestions } from '../groups/mark-queries.ts'
import { groupsWithPending } from '../groups/pending-commits.ts'
import { duePreviewKeys } from '../groups/preview-keys.ts'
import { addAnew } from '../healing/add-anew.ts'
import { healChats } from '../healing/heal-chats.ts'
import { settleDoubt } from '../healing/relay-doubts.ts'
import { restartGroup, waitingRestarts } from '../healing/restart-group.ts'
import { KeyPackageSupply } from '../identity/key-package-supply.ts'
import { peopleToRefresh } from '../identity/people.ts'
import { publishProfile, refreshProfile } from '../identity/profile.ts'
import { dueReceipts } from '../messages/receipts-due.ts'
import { askForMark } from '../outbox/ask-for-mark.ts'
import { newDraft } from '../outbox/compose.ts'
import { sendContent } from '../outbox/send-content.ts'
import { sendAnswer } from '../outbox/send-join.ts'
import { sendReceipt } from '../outbox/send-receipt.ts'
import { settleUnsent } from '../outbox/settle.ts'
import { announceProfile } from './announce-profile.ts'
import { leaveDeclined } from './leave-declined.ts'
import { PollEnds } from './poll-ends.ts'
import { dueRenewals, renewKeys } from './renew-keys.ts'

type RingingCall = { chat: ChatId; call: string }

export class Chores {
  readonly #core: Core
  readonly #calls: RingingCall[] = []
  readonly keyPackages: KeyPackageSupply
  readonly #pollEnds: PollEnds
  #running: Promise<void> | undefined
  #isPoked = false
  readonly #faults: LogThrottle

  constructor(core: Core) {
    this.#core = core
    this.#faults = new LogThrottle(core.clock, clientLimits.faultSaidEveryMs)
    this.keyPackages = new KeyPackageSupply(core)
    this.#pollEnds = new PollEnds(core)
    core.link.onChange(() => core.link.isOnline && this.wake())
  }

  /** Called periodically: checks how many key packages the relay has, and how old they are. */
  lookAfterKeys(): void {
    this.keyPackages.look()
    this.wake()
  }

  /** Not kept across a restart: by then nobody rings any more. */
  decline(call: RingingCall): void {
    this.#calls.push(call)
    this.wake()
  }

  wake(): void {
    this.#isPoked = true
    if (this.#core.link.isOnline) this.#running ??= this.#run()
  }

  /** Once the link has stopped, chores in progress fail soon. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      // Ends in the turn in which nothing is left to do: a later wake begins a new run.
      while (this.#isPoked && this.#core.link.isOnline) {
        this.#isPoked = false
        // A wake often comes from a transaction that is not written yet.
        await this.#core.store.caughtUp()
        await this.#round()
      }
    } catch (error) {
      // The program stops, or the disk is full: the next wake or connection begins again.
      this.#core.log.debug(faultFields(error), 'chores interrupted')
    } finally {
      this.#running = undefined
    }
  }

  async #round(): Promise<void> {
    const { store } = this.#core
    // First, because it waits for nobody: the client may be gone in a moment, and then its notifications need the keys.
    for (const group of duePreviewKeys(store))
      await this.#attempt('preview keys', () => derivePreviewKey(this.#core, group))
    await this.#attempt('key packages', () => this.keyPackages.tend())
    await this.#attempt('profile', () => publishProfile({ ...this.#core, onPublished: announceProfile }))
    await this.#attempt('outbox', () => settleUnsent(this.#core))
    await this.#attempt('polls', () => this.#pollEnds.tend())
    await this.#attempt('files', () => this.#core.files.tidy())
    for (const group of groupsWithPending(store))
      await this.#attempt('commit', () => settlePending(this.#core, group, this.#deadline()))
    for (const group of this.#core.relayDoubts.keys())
      await this.#attempt('relay', () => settleDoubt(this.#core, group, this.#deadline()))
    await this.#attempt('heal', () => healChats(this.#core, this.#deadline()))
    for (const rejoin of wantedRejoins(store))
      await this.#attempt('rejoin', () => addAnew(this.#core, rejoin, this.#deadline()))
    for (const restart of waitingRestarts(this.#core).filter(this.#isDue))
      await this.#attempt('restart', () => restartGroup(this.#core, restart, this.#deadline()))
    for (const { group } of waitingRepairs(this.#core).filter(this.#isDue))
      await this.#attempt('repair', () => repairRosters(this.#core, group, this.#deadline()))
    for (const returned of chatsWithReturned(store, this.#core.own.id))
      await this.#attempt('remove again', () => removeReturned(this.#core, returned, this.#deadline()))
    for (const question of openQuestions(store))
      await this.#attempt('compare', () => askForMark(this.#core, question, this.#deadline()))
    for (const due of answersDue(store))
      await this.#attempt('answer', () => sendAnswer(this.#core, due, this.#deadline()))
    for (const chat of groupsToLeave(store))
      await this.#attempt('decline', () => leaveDeclined(this.#core, chat, this.#deadline()))
    for (const chat of chatsToGreet(store)) await this.#attempt('hello', () => this.#sayHello(chat))
    for (const call of this.#calls.splice(0)) await this.#attempt('call', () => this.#declineCall(call))
    for (const due of dueReceipts(this.#core))
      await this.#attempt('receipts', () => sendReceipt(this.#core, due, this.#deadline()))
    for (const person of peopleToRefresh(store, clientLimits.profilesPerRound))
      await this.#attempt('profiles', () => refreshProfile(this.#core, person))
    for (const { group } of dueRenewals(this.#core))
      await this.#attempt('new keys', () => renewKeys(this.#core, group, this.#deadline()))
  }

  readonly #isDue = ({ dueMs }: { dueMs: number }): boolean => dueMs <= this.#core.elapsed.nowMs()

  /** A chore that fails does not stop the others; it is retried at the next wake or connection. */
  async #attempt(chore: string, work: () => Promise<unknown>): Promise<void> {
    if (!this.#core.link.isOnline) return
    try {
      await work()
    } catch (error) {
      const isQuiet = isCoded(error, 'relay-unreachable', 'send-in-doubt', 'stopping')
      const said = { chore, ...faultFields(error) }
      if (isQuiet) return this.#core.log.debug(said, 'chore failed')
      const fault = `${chore} ${isCoded(error) ? error.code : ''}`
      this.#faults.say(fault, unsaid => this.#core.log.warn({ ...said, ...unsaid }, 'chore failed'))
    }
  }

  async #declineCall({ chat, call }: RingingCall): Promise<void> {
    const draft = newDraft(this.#core, { kind: 'call', call, state: 'declined' })
    await sendContent(this.#core, chat, { draft, deadline: this.#deadline() })
  }

  async #sayHello(chat: ChatId): Promise<void> {
    await sendContent(this.#core, chat, { draft: newDraft(this.#core, { kind: 'hello' }), deadline: this.#deadline() })
  }

  #deadline(): Deadline {
    return new Deadline(this.#core.clock, { timeoutMs: clientLimits.requestTimeoutMs })
  }
}
