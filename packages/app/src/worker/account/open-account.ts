// The parts of an open account: core's client, and everything of the worker that belongs to this account.
import type { JournalEvent } from '@postern/core'
import { type ChatId, inBackground, type Log } from '@postern/protocol'
import type { PushEvent } from '../../contract/push-events.ts'
import { Alerts } from '../alerts.ts'
import { AvatarStore } from '../avatars.ts'
import { ChatMarkings } from '../chat-marks.ts'
import { Drafts } from '../drafts.ts'
import { followEvents } from '../follow-events.ts'
import { OutgoingQueue } from '../outgoing/outgoing.ts'
import type { OpenedAccount, WorkerPlatform } from '../platform.ts'
import { Presses } from '../presses.ts'
import type { AppSettings } from '../settings.ts'
import type { Touch } from '../topics.ts'
import { AccountBackup } from './account-backup.ts'

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

export class Account {
  readonly opened: OpenedAccount
  readonly platform: WorkerPlatform
  readonly marks: ChatMarkings
  readonly drafts: Drafts
  readonly faces: AvatarStore
  readonly outgoing: OutgoingQueue
  readonly presses: Presses
  readonly alerts: Alerts
  readonly keeping: AccountBackup
  readonly #log: Log
  readonly #touch: Touch
  readonly #over = new AbortController()
  readonly #begun = new Set<ChatId>()
  readonly #forgetChanges: () => void

  constructor(opened: OpenedAccount, around: AccountAround) {
    const { client } = opened
    const { platform, touch, touchCalmly } = around
    this.#touch = touch
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
    this.alerts = new Alerts({ ...around, client, marks: this.marks, presses: this.presses })
    this.faces = new AvatarStore(client)
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

  get client(): OpenedAccount['client'] {
    return this.opened.client
  }

  start(): void {
    const until = this.#over.signal
    const following = followEvents(this.client, { log: this.#log, until, hear: event => this.#hear(event) })
    inBackground(following, { what: 'the journal is not read any more', log: this.#log })
    inBackground(this.keeping.look(), { what: 'it is not known how the account is kept', log: this.#log })
    this.client.start()
    this.outgoing.driveAll()
  }

  async stop(): Promise<void> {
    this.leave()
    await this.client.stop()
  }

  /** Stops all its work; the caller stops the client. */
  leave(): void {
    this.#over.abort()
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
