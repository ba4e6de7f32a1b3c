// How the account is protected from being lost: the browser's promise, and the time of the last saved file.
import type { Client } from '@postern/core'
import { appLimits, type Clock } from '@postern/protocol'
import type { BackupState } from '../../contract/settings.ts'
import type { StorageFacts } from '../platform.ts'
import { lenient, RecordMap } from '../record-map.ts'
import { count, fields } from '../shapes.ts'
import type { Touch } from '../topics.ts'

const KEY = 'account'

const kept = fields(
  { madeMs: count, sent: count },
  {
    recoverySavedMs: count,
    /** The number of people in the recovery file. */
    recoveryPeople: count,
    backupSavedMs: count,
  },
)
type Kept = ReturnType<typeof kept>
type Parts = { clock: Clock; storage: StorageFacts; touch: Touch }

export class AccountBackup {
  readonly #client: Client
  readonly #parts: Parts
  readonly #shelf: RecordMap<Kept>
  #browser = { persisted: false, usedBytes: 0, quotaBytes: 0 }

  constructor(client: Client, parts: Parts) {
    this.#client = client
    this.#parts = parts
    const onChange = () => parts.touch('keeping')
    this.#shelf = new RecordMap(client.records('keeping'), { read: lenient(value => kept(value, 'keeping')), onChange })
  }

  get(): BackupState {
    const { madeMs, sent, recoverySavedMs, recoveryPeople, backupSavedMs } = this.#kept()
    return {
      ...this.#browser,
      ...(recoverySavedMs !== undefined && { recoverySavedMs }),
      ...(backupSavedMs !== undefined && { backupSavedMs }),
      recoveryIsOld: recoveryPeople !== undefined && this.#people() > recoveryPeople,
      accountMadeMs: madeMs,
      messagesSent: sent,
    }
  }

  /** Asks the browser again. */
  async look(): Promise<void> {
    const { storage, touch } = this.#parts
    if (!this.#shelf.get(KEY)) await this.#shelf.put(KEY, this.#kept())
    this.#browser = { persisted: await storage.persisted(), ...(await storage.estimate()) }
    touch('keeping')
  }

  /** Only the first ones matter: a person is reminded after some. */
  countSent(): Promise<void> {
    const { sent, ...rest } = this.#kept()
    return sent >= appLimits.sentCountedMax ? Promise.resolve() : this.#shelf.putSoon(KEY, { ...rest, sent: sent + 1 })
  }

  async saved(file: 'recovery' | 'backup'): Promise<void> {
    const nowMs = this.#parts.clock.nowMs()
    const now = { recoverySavedMs: nowMs, recoveryPeople: this.#people() }
    await this.#shelf.put(KEY, { ...this.#kept(), ...(file === 'recovery' ? now : { backupSavedMs: nowMs }) })
  }

  #kept(): Kept {
    return this.#shelf.get(KEY) ?? { madeMs: this.#parts.clock.nowMs(), sent: 0 }
  }

  #people(): number {
    return this.#client.chats.list().filter(chat => chat.state === 'active').length
  }
}
