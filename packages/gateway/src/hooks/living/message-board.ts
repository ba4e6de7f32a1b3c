// Brings messages to the state that is stored: sends, edits and replies, one at a time for each message.
import type { Message } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import {
  type Clock,
  CodedError,
  hookLimits,
  inBackground,
  isCoded,
  KeyedQueue,
  type Log,
  pause,
  utf8,
} from '@postern/protocol'
import { digest } from '../formats/digest.ts'
import type { HookText } from '../formats/format.ts'
import type { StoredHook } from '../hooks.ts'
import { isShown, type LivingEntry, withNewMessage } from './entry.ts'
import { type EntryKey, keyOf, type LivingStore } from './living-store.ts'
import { isQuietStart, showSubject } from './living-subject.ts'
import type { ShowContext } from './show-alerts.ts'
import { Turns } from './turns.ts'

const limits = hookLimits.living

export type BoardParts = {
  client: Client
  store: LivingStore
  hookOf(id: string): StoredHook | undefined
  showing(hook: StoredHook): ShowContext
  clock: Clock
  log: Log
}

export class MessageBoard {
  readonly #parts: BoardParts
  readonly #lanes = new KeyedQueue<string>()
  /** By hook: one after the other, a thousand groups would wait for the relay a thousand times. */
  readonly #turns = new Turns(limits.atOnceMax)
  /** By key: the next time that a message is brought to its state. It includes all changes until it begins. */
  readonly #coming = new Map<string, Promise<void>>()
  /** The monotonic times of recent edits, by key. */
  readonly #editedMs = new Map<string, number>()
  /** Keys of entries that failed: tried again while nobody waits for them. */
  readonly #behind = new Map<string, EntryKey>()
  readonly #stop = new AbortController()
  #retrying: Promise<void> | undefined

  constructor(parts: BoardParts) {
    this.#parts = parts
  }

  /** Messages whose state the relay may not have, from before a restart. */
  start(): void {
    for (const entry of this.#parts.store.all()) if (!isShown(entry)) this.#behind.set(keyOf(entry), entry)
    this.#retryLater()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new CodedError('stopping'))
    await Promise.allSettled([...this.#coming.values()])
    await this.#lanes.idle()
    await this.#retrying
  }

  /** Resolves when the relay has the state that is stored now. Edits of one message are some time apart. */
  show(key: EntryKey): Promise<void> {
    const name = keyOf(key)
    const coming = this.#coming.get(name)
    if (coming) return coming
    const made = this.#showSoon(key, name)
    this.#coming.set(name, made)
    return made
  }

  /** For changes that nobody waits for. */
  showInBackground(key: EntryKey): void {
    inBackground(this.show(key), { what: 'living message not updated; will retry', log: this.#parts.log })
  }

  async #showSoon(key: EntryKey, name: string): Promise<void> {
    const dueInMs = this.#dueInMs(name)
    if (dueInMs > 0) await pause(this.#parts.clock, dueInMs, this.#stop.signal)
    await this.#lanes.run(name, () => this.#turns.run(key.hook, () => this.#showNow(key, name)))
  }

  async #showNow(key: EntryKey, name: string): Promise<void> {
    this.#coming.delete(name)
    try {
      if (this.#stop.signal.aborted) throw new CodedError('stopping')
      await this.#bring(key)
      this.#behind.delete(name)
    } catch (error) {
      if (!isFinal(error)) this.#behind.set(name, key)
      else this.#behind.delete(name)
      this.#retryLater()
      throw error
    }
  }

  #dueInMs(name: string): number {
    const { clock } = this.#parts
    const nowMs = clock.monotonicMs()
    for (const [old, atMs] of this.#editedMs) {
      if (nowMs - atMs < limits.editEveryMs) break
      this.#editedMs.delete(old)
    }
    const editedMs = this.#editedMs.get(name)
    return editedMs === undefined ? 0 : editedMs + limits.editEveryMs - nowMs
  }

  async #bring(key: EntryKey): Promise<void> {
    const { store, hookOf, showing } = this.#parts
    const [entry, hook] = [store.get(key), hookOf(key.hook)]
    if (!entry || !hook) return
    // A state that a full disk has refused: if it were lost after this, the next post would send a second message.
    if (!store.isSaved(entry)) await store.put(entry)
    const shown = await this.#send({ entry, hook, text: showSubject(entry.subject, showing(hook)) })
    await this.#reply(shown, hook)
  }

  /** Returns the entry with the message that shows it. */
  async #send(sending: Sending): Promise<LivingEntry> {
    const { entry, text } = sending
    if (entry.message === undefined) return await this.#sendNew(sending)
    const there = this.#messageOf(entry)
    // Somebody deleted it, or it has expired: the next post is a new message.
    if (!there) return this.#noteShown(entry, entry)
    if (isSame(there, text)) return this.#noteShown(entry, entry)
    try {
      await this.#edit(sending)
    } catch (error) {
      if (!isCoded(error, 'edit-too-late')) throw error
      return await this.#sendNew({ ...sending, entry: this.#replaced(entry) })
    }
    return this.#noteShown(entry, entry)
  }

  async #edit({ entry, text: { text, buttons = [] } }: Sending): Promise<void> {
    const { client, clock } = this.#parts
    const { message } = entry
    if (message === undefined) return
    const name = `${entry.id}:${entry.no}:${entry.rev}:${digest(JSON.stringify([text, buttons]))}`
    const within = { timeoutMs: hookLimits.postWithinMs, ...once(`living-edit:${name}`) }
    this.#editedMs.delete(keyOf(entry))
    this.#editedMs.set(keyOf(entry), clock.monotonicMs())
    await client.messages.edit(entry.chat, { message, text, mentions: [], buttons }, within)
  }

  async #sendNew({ entry, hook, text: { text, buttons = [] } }: Sending): Promise<LivingEntry> {
    const { client } = this.#parts
    const silent = (hook.silent ?? false) || isQuietStart(entry.subject)
    const content = { text, mentions: [], silent, ...(buttons.length > 0 && { buttons }) }
    const within = { timeoutMs: hookLimits.postWithinMs, ...once(`living:${entry.id}:${entry.no}`) }
    const { id } = await client.messages.sendText(entry.chat, content, within)
    const sent = this.#noteShown(entry, { ...entry, message: id })
    // Begun before a kill, it may show an older state.
    const there = this.#messageOf(sent)
    if (there && !isSame(there, { text, buttons })) await this.#edit({ entry: sent, hook, text: { text, buttons } })
    return sent
  }

  async #reply(entry: LivingEntry, hook: StoredHook): Promise<void> {
    const { client, store } = this.#parts
    for (const { text, silent, seq } of entry.replies) {
      const replyTo = entry.message !== undefined && this.#messageOf(entry) ? { replyTo: entry.message } : {}
      const content = { text, mentions: [], silent: silent || (hook.silent ?? false), ...replyTo }
      const within = { timeoutMs: hookLimits.postWithinMs, ...once(`living-reply:${entry.id}:${seq}`) }
      await client.messages.sendText(entry.chat, content, within)
      const now = store.get(entry)
      if (now) store.putSoon({ ...now, replies: now.replies.filter(reply => reply.seq !== seq) })
    }
  }

  /** `sent`: the entry that the relay has. A post may have changed it meanwhile. */
  #noteShown(sent: LivingEntry, { message }: LivingEntry): LivingEntry {
    const { store } = this.#parts
    const now = store.get(sent)
    if (!now || now.id !== sent.id || now.no !== sent.no) return { ...sent, ...(message && { message }) }
    if (now.shownRev === sent.rev && now.message === message) return now
    const noted = { ...now, shownRev: sent.rev, ...(message && { message }) }
    store.putSoon(noted)
    return { ...sent, ...(message && { message }), replies: noted.replies }
  }

  #replaced(entry: LivingEntry): LivingEntry {
    const next = withNewMessage(this.#parts.store.get(entry) ?? entry)
    this.#parts.store.putSoon(next)
    return next
  }

  #messageOf({ chat, message }: LivingEntry) {
    return message === undefined ? undefined : findMessage(this.#parts.client, { chat, message })
  }

  #retryLater(): void {
    if (this.#behind.size === 0 || this.#retrying || this.#stop.signal.aborted) return
    this.#retrying = this.#retry().finally(() => (this.#retrying = undefined))
  }

  async #retry(): Promise<void> {
    const { client, clock } = this.#parts
    while (this.#behind.size > 0 && !this.#stop.signal.aborted) {
      await pause(clock, limits.retryEveryMs, this.#stop.signal)
      if (!client.isOnline || this.#stop.signal.aborted) continue
      for (const key of [...this.#behind.values()]) await this.show(key).catch(() => undefined)
    }
  }
}

type Sending = { entry: LivingEntry; hook: StoredHook; text: HookText }

/** Undefined once it was deleted or has expired. */
export function findMessage(client: Client, { chat, message }: Pick<Required<LivingEntry>, 'chat' | 'message'>) {
  try {
    const found = client.messages.get(chat, message)
    return found.id === message ? found : undefined
  } catch (error) {
    if (isCoded(error, 'message-not-found', 'chat-not-found')) return undefined
    throw error
  }
}

const isSame = (there: Message, { text, buttons = [] }: HookText): boolean =>
  there.text === text && JSON.stringify(there.buttons ?? []) === JSON.stringify(buttons)

const once = (key: string) => ({ idempotency: { key, request: utf8(key) } })

/** Nothing is left to bring there. */
const isFinal = (error: unknown): boolean =>
  isCoded(error, 'chat-not-found', 'chat-left', 'chat-is-request', 'account-not-found', 'stopping')
