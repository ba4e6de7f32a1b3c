// The hooks of this bot. Each is a secret address for one chat and one format; only the hash of the secret is stored.
import { hash, randomBytes } from 'node:crypto'
import type { BotLanguage, CreatedHook, Hook, HookFormat, HookOptions } from '@postern/bot-api'
import type { RecordChange, Records } from '@postern/core'
import { type ChatId, type Clock, CodedError, hookLimits, SerialQueue, toBase32, toBase64Url } from '@postern/protocol'

const SECRET_BYTES = 32
/** Short, because people type it: eight letters. It opens nothing. */
const ID_BYTES = 5
const PREFIX = 'hook/'

/** Without `lang` a hook writes in the language of the gateway. `silent`: none of its messages notifies anybody. */
export type NewHook = {
  chat: ChatId
  format: HookFormat
  lang?: BotLanguage | undefined
  silent?: boolean | undefined
  /** Its senders must prove that they know it. Never shown. */
  secret?: string | undefined
  /** Only for the format `template`. */
  template?: string | undefined
  options?: HookOptions | undefined
}

export type StoredHook = NewHook & { id: string; ts: number; secretHash: string }

export type HooksOptions = { hooksUrl: string; clock: Clock }

const shownHook = ({ id, chat: chat_id, format, lang, silent, secret, template, options, ts }: StoredHook): Hook => ({
  id,
  chat_id,
  format,
  ...(lang && { lang }),
  ...(silent && { silent }),
  ...(secret !== undefined && { signed: true as const }),
  ...(template !== undefined && { template }),
  ...(options && { options }),
  ts,
})

/** 256 bits are beyond guessing, so a fast hash is enough; timing the look-up reveals hashes, not secrets. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

export class Hooks {
  readonly #records: Records
  readonly #baseUrl: string
  readonly #clock: Clock
  readonly #byId = new Map<string, StoredHook>()
  readonly #bySecretHash = new Map<string, StoredHook>()
  /** Two hooks created concurrently would not count each other, and two concurrent removals would both report success. */
  readonly #changes = new SerialQueue()

  constructor(records: Records, { hooksUrl, clock }: HooksOptions) {
    this.#records = records
    this.#baseUrl = hooksUrl.replace(/\/+$/, '')
    this.#clock = clock
    for (const { key, value } of records.all()) if (key.startsWith(PREFIX)) this.#add(JSON.parse(value) as StoredHook)
  }

  find(secret: string): StoredHook | undefined {
    return this.#bySecretHash.get(hashSecret(secret))
  }

  get(id: string): StoredHook | undefined {
    return this.#byId.get(id)
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  /** Oldest first. */
  list(chat?: ChatId): Hook[] {
    return [...this.#byId.values()]
      .filter(hook => chat === undefined || hook.chat === chat)
      .toSorted((a, b) => a.ts - b.ts)
      .map(shownHook)
  }

  /** `withIt` is written with the hook in one transaction. */
  async create(wanted: NewHook, withIt: (made: CreatedHook) => RecordChange[] = () => []): Promise<CreatedHook> {
    return await this.#changes.run(() => this.#create(wanted, withIt))
  }

  /** Returns whether the hook existed. */
  async remove(id: string, withIt: RecordChange[] = []): Promise<boolean> {
    return await this.#changes.run(() => this.#remove(id, withIt))
  }

  async #create(wanted: NewHook, withIt: (made: CreatedHook) => RecordChange[]): Promise<CreatedHook> {
    const { chat, format, lang, silent, secret, template, options } = wanted
    if (this.#byId.size >= hookLimits.hooksMax) throw new CodedError('hooks-full', { max: hookLimits.hooksMax })
    const inAddress = toBase64Url(randomBytes(SECRET_BYTES))
    const hook: StoredHook = {
      id: this.#newId(),
      chat,
      format,
      ...(lang && { lang }),
      ...(silent && { silent }),
      ...(secret !== undefined && { secret }),
      ...(template !== undefined && { template }),
      ...(options && { options }),
      ts: this.#clock.nowMs(),
      secretHash: hashSecret(inAddress),
    }
    const made = { ...shownHook(hook), url: `${this.#baseUrl}/hooks/${inAddress}` }
    await this.#records.change({ key: PREFIX + hook.id, put: JSON.stringify(hook) }, ...withIt(made))
    this.#add(hook)
    return made
  }

  async #remove(id: string, withIt: RecordChange[]): Promise<boolean> {
    const hook = this.#byId.get(id)
    if (!hook) return false
    await this.#records.change({ key: PREFIX + id, remove: true }, ...withIt)
    this.#byId.delete(id)
    this.#bySecretHash.delete(hook.secretHash)
    return true
  }

  #add(hook: StoredHook): void {
    this.#byId.set(hook.id, hook)
    this.#bySecretHash.set(hook.secretHash, hook)
  }

  #newId(): string {
    for (;;) {
      const id = toBase32(randomBytes(ID_BYTES))
      if (!this.#byId.has(id)) return id
    }
  }
}
