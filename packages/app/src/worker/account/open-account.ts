// The parts of an open account: core's client, and everything of the worker that belongs to this account.
import type { JournalEvent } from '@postern/core'
import { type ChatId, inBackground, type Log } from '@postern/protocol'
import type { PushAddress } from '../../contract/calls.ts'
import type { PushEvent } from '../../contract/push-events.ts'
import type { NoPushReason, PushState } from '../../contract/settings.ts'
import { Alerts } from '../alerts.ts'
import { AvatarStore } from '../avatars.ts'
import { ChatMarkings } from '../chat-marks.ts'
import { Drafts } from '../drafts.ts'
import { followEvents } from '../follow-events.ts'
import { OutgoingQueue } from '../outgoing/outgoing.ts'
import type { OpenedAccount, WorkerPlatform } from '../platform.ts'
import { Presses } from '../presses.ts'
import { isPushed } from '../push-mark.ts'
import type { PushKeeper } from '../pushing.ts'
import type { AppSettings } from '../settings.ts'
import type { Touch } from '../topics.ts'
import { TypingSwitch } from '../typing.ts'
import { AccountBackup } from './account-backup.ts'
import { AppLock } from './app-lock.ts'
import type { UnlockWait } from './unlock-wait.ts'

/** The parts of the worker that the account uses. */
export type AccountAround = {
  platform: WorkerPlatform
  settings: AppSettings
  touch: Touch
  /** For changes that may be shown a moment later, together with the next ones. */
  touchCalmly: Touch
  tell: (tiding: PushEvent) => void
  isSeen: (chat: string) => boolean
}

/** The account is locked by its lifecycle, which opens it again. */
export type AccountLocking = { wait: UnlockWait; close: () => void }

export class Account {
  readonly opened: OpenedAccount
  readonly platform: WorkerPlatform
  readonly marks: ChatMarkings
  readonly drafts: Drafts
  readonly faces: AvatarStore
  readonly outgoing: OutgoingQueue
  readonly presses: Presses
  readonly typing: TypingSwitch
  readonly alerts: Alerts
  readonly keeping: AccountBackup
  readonly lock: AppLock
  /** The leading page reports it after each start of this core. */
  pushState: PushState = 'unknown'
  readonly #around: AccountAround
  /** Fetched with the first subscription, and at the start of an account that has one. */
  #pushing: Promise<PushKeeper> | undefined
  readonly #log: Log
  readonly #settings: AppSettings
  readonly #touch: Touch
  readonly #over = new AbortController()
  readonly #begun = new Set<ChatId>()
  readonly #forgetChanges: () => void

  constructor(opened: OpenedAccount, around: AccountAround, locking: AccountLocking) {
    const { client } = opened
    const { platform, touch, touchCalmly } = around
    this.#around = around
    this.#touch = touch
    this.#settings = around.settings
    const { clock, log } = platform
    this.opened = opened
    this.platform = platform
    this.#log = log
    this.marks = new ChatMarkings(client.records('chat-mark'), touch)
    this.drafts = new Drafts(client.records('draft'), touch)
    this.keeping = new AccountBackup(client, { touch: touchCalmly, clock, storage: platform.storage })
    const onSent = () => inBackground(this.keeping.countSent(), { what: 'a sent message was not counted', log })
    this.outgoing = new OutgoingQueue(client.records('outgoing'), { client, clock, log, touch: touchCalmly, onSent })
    this.presses = new Presses({ client, clock, touch })
    this.typing = new TypingSwitch(client, around.settings)
    this.alerts = new Alerts({ ...around, client, marks: this.marks, presses: this.presses })
    this.faces = new AvatarStore(client)
    const changed = () => {
      touch('keeping')
      this.notePushChange()
    }
    const hideNotified = async () => await this.#hideNotified()
    const { lock } = opened
    this.lock = new AppLock({ lock, clock, settings: around.settings, changed, hideNotified, ...locking })
    this.#forgetChanges = client.onChange(topics => {
      touchCalmly(...topics)
      if (this.faces.hasNewChat(topics)) touchCalmly('faces')
    })
  }

  /** Called with every change of a chat: a chat that was begun once stays begun. */
  isEmpty(chat: ChatId): boolean {
    if (!this.#begun.has(chat) && this.client.messages.history(chat, { limit: 1 }).rows.length > 0)
      this.#begun.add(chat)
    return !this.#begun.has(chat)
  }

  /**
   * Everything begins in one turn, and so is one transaction: a kill leaves no draft and no waiting message of a chat
   * without its history. The unsent text stays in the field; it cannot reply to a message that is gone.
   */
  async clearHistory(chat: ChatId): Promise<void> {
    const { text = '' } = this.drafts.get(chat) ?? {}
    await Promise.all([
      this.client.chats.clearHistory(chat),
      this.drafts.set(chat, { text }),
      this.outgoing.dropIn(chat),
    ])
    this.#begun.delete(chat)
    this.alerts.seen(chat)
  }

  /** A muted person stays muted, for the day on which the chat comes back. */
  async deleteChat(chat: ChatId): Promise<void> {
    await Promise.all([
      this.client.chats.delete(chat),
      this.drafts.set(chat, { text: '' }),
      this.marks.set(chat, { pinned: false, archived: false }),
      this.outgoing.dropIn(chat),
    ])
    this.#begun.delete(chat)
    this.alerts.seen(chat)
  }

  get client(): OpenedAccount['client'] {
    return this.opened.client
  }

  /** Core keeps this choice itself; a worker that was killed in between applies it at its start. */
  async applySettings(): Promise<void> {
    await this.client.messages.setReadReceipts(this.#settings.get().readReceipts ? 'on' : 'off')
  }

  start(): void {
    const until = this.#over.signal
    const following = followEvents(this.client, { log: this.#log, until, hear: event => this.#hear(event) })
    inBackground(following, { what: 'the journal is not read any more', log: this.#log })
    inBackground(this.applySettings(), { what: 'a setting was not applied', log: this.#log })
    inBackground(this.keeping.look(), { what: 'it is not known how the account is kept', log: this.#log })
    // The words of earlier notifications are compared with the messages that arrive now.
    if (isPushed(this.client))
      inBackground(this.#getPushing(), { what: 'push notifications did not start', log: this.#log })
    this.client.start()
    this.outgoing.driveAll()
  }

  /** Without a connection it is known here that nothing is pushed any more, and not that something is. */
  async setPush(address: PushAddress | undefined, reason: NoPushReason = 'off'): Promise<void> {
    if (!address) this.#showPush(reason)
    if (address || isPushed(this.client)) await (await this.#getPushing()).set(address)
    if (address) this.#showPush('on')
  }

  #showPush(state: PushState): void {
    this.pushState = state
    this.#touch('push')
  }

  /** A setting or a mark that notifications depend on has changed. */
  notePushChange(): void {
    this.#pushing?.then(
      pushing => pushing.changed(),
      () => undefined,
    )
  }

  async #hideNotified(): Promise<void> {
    if (isPushed(this.client)) await (await this.#getPushing()).hideNotified()
  }

  async #getPushing(): Promise<PushKeeper> {
    this.#pushing ??= this.#startPushing()
    try {
      return await this.#pushing
    } catch (error) {
      this.#pushing = undefined
      throw error
    }
  }

  async #startPushing(): Promise<PushKeeper> {
    const { platform, settings, tell } = this.#around
    const { clock, log } = platform
    const [{ PushKeeper }, shelf] = await Promise.all([import('../pushing.ts'), platform.pushShelf()])
    const over = this.#over.signal
    over.throwIfAborted()
    const isLocked = () => this.lock.isSet
    const parts = { client: this.client, marks: this.marks, settings, shelf, isLocked, clock, log, tell }
    const pushing = new PushKeeper(parts)
    over.addEventListener('abort', () => pushing.stop())
    return pushing
  }

  async stop(): Promise<void> {
    this.leave()
    await this.client.stop()
  }

  /** Stops all its work; the caller stops the client. */
  leave(): void {
    this.#over.abort()
    this.lock.stop()
    this.#forgetChanges()
    this.outgoing.stop()
    this.presses.stop()
  }

  #hear(event: JournalEvent): void {
    this.presses.hear(event)
    this.alerts.hear(event)
    if (event.type !== 'message') return
    // Messages are shown immediately.
    this.#touch(`chat:${event.chat_id}`)
    inBackground(this.marks.wroteIn(event.chat_id), { what: 'a chat was not brought back', log: this.#log })
  }
}
