// Receives posts to hooks with living messages: each changes the stored state, and is answered when the relay has it.
import type { BotLanguage, DryRun } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { type Clock, CodedError, ConcurrencyLimit, type Deadline, hookLimits } from '@postern/protocol'
import { checkToken } from '../check-sender.ts'
import { digest } from '../formats/digest.ts'
import { type PostBody, type PostHeaders, readBody } from '../formats/post-body.ts'
import type { StoredHook } from '../hooks.ts'
import type { HookMemory, MemoryKey } from '../memory.ts'
import { type GatewayWords, wordsIn } from '../words/words.ts'
import { changedEntry, isShown, type LivingEntry, newEntry, withNewMessage } from './entry.ts'
import type { LivingStore } from './living-store.ts'
import { type LivingPost, readLivingPost, showSubject } from './living-subject.ts'
import { findMessage, type MessageBoard } from './message-board.ts'
import type { ShowContext } from './show-alerts.ts'

export type LivingParts = {
  client: Client
  store: LivingStore
  board: MessageBoard
  memory: HookMemory
  showing(hook: StoredHook): ShowContext
  /** The language of hooks that have none of their own. */
  language: BotLanguage
  clock: Clock
}

type LivingTask = { hook: StoredHook; headers: PostHeaders; body: Uint8Array; deadline: Deadline }
type Changed = { entry: LivingEntry; isNew: boolean }

export class LivingPosts {
  readonly #parts: LivingParts
  readonly #waiting = new Map<string, ConcurrencyLimit>()

  constructor(parts: LivingParts) {
    this.#parts = parts
  }

  /** Resolves when the relay has what the post says. Posts of one moment are one edit. */
  async receive({ hook, headers, body, deadline }: LivingTask): Promise<'written' | 'silent'> {
    const { client, store, memory } = this.#parts
    const key = headers['idempotency-key'] ? keyOf(hook, headers['idempotency-key']) : undefined
    const bodyHash = digest(body)
    const known = key && memory.get(key)
    if (known && known.body !== bodyHash) throw new CodedError('idempotency-conflict')
    if (known) return 'silent'
    const post = this.#read(hook, readBody(body, headers))
    if (!post) return 'silent'
    // Elapsed times decide about late reports.
    if (!client.elapsed.isKnown) await client.whenOnline({ timeoutMs: deadline.leftMs() })
    const done = this.#limitOf(hook.id).reserve()
    try {
      // From here to the write nothing waits: posts change the state in the order in which they arrived.
      const { entry, isNew } = this.#change(hook, post)
      const stored = isNew || !store.isSaved(entry) ? store.put(entry) : Promise.resolve()
      const isWritten = isNew || !isShown(entry) || this.#isOld(hook, entry)
      if (isWritten) await deadline.awaiting(() => this.#written(entry, stored))
      else await stored
      if (key) memory.changeSoon({ at: key, put: { body: bodyHash } })
      return isWritten ? 'written' : 'silent'
    } finally {
      done()
    }
  }

  async #written(entry: LivingEntry, stored: Promise<void>): Promise<void> {
    // A first message of which the disk knows nothing would be a second one after a kill. The board stores what the
    // disk has refused, and sends it then.
    if (entry.message === undefined) await Promise.allSettled([stored])
    await bothDone(stored, this.#parts.board.show(entry))
  }

  /** Nothing is sent or stored. */
  preview(hook: StoredHook, body: PostBody): DryRun {
    const post = this.#read(hook, body)
    if (!post) return { skipped: 'Nothing would be written: it is no news.' }
    const { entry, isNew } = this.#change(hook, post)
    const { text, buttons } = showSubject(entry.subject, this.#parts.showing(hook))
    if (!isNew && !this.#isOld(hook, entry)) return { skipped: 'Nothing would be written: the message shows it.' }
    return { text, ...(buttons && buttons.length > 0 && { buttons }) }
  }

  #read(hook: StoredHook, body: PostBody): LivingPost | undefined {
    if (hook.format === 'pipeline') checkToken(hook, body.headers?.['x-vcs-token'])
    return readLivingPost(hook.format, body, this.#wordsOf(hook))
  }

  #change(hook: StoredHook, post: LivingPost): Changed {
    const { client, store, clock } = this.#parts
    const { id, chat, options } = hook
    const elapsedMs = client.elapsed.nowMs()
    const isQuiet = options?.quiet_resolve ?? false
    const around = { nowMs: clock.nowMs(), elapsedMs, words: this.#wordsOf(hook), isQuiet }
    const key = { hook: id, name: post.name }
    const before = store.get(key)
    const change = post.merge(before?.subject, around)
    if (!before) return { entry: newEntry({ ...key, chat }, change.subject, elapsedMs), isNew: true }
    const entry = changedEntry(before, change, elapsedMs)
    const { message } = entry
    const isGone = message !== undefined && !findMessage(client, { chat, message })
    return isGone ? { entry: withNewMessage(entry), isNew: true } : { entry, isNew: entry !== before }
  }

  /** A repeat changes nothing, and the times that a message shows have grown. */
  #isOld(hook: StoredHook, { chat, message, subject }: LivingEntry): boolean {
    if (message === undefined) return true
    return (
      findMessage(this.#parts.client, { chat, message })?.text !== showSubject(subject, this.#parts.showing(hook)).text
    )
  }

  #limitOf(hook: string): ConcurrencyLimit {
    const known = this.#waiting.get(hook)
    if (known) return known
    const made = new ConcurrencyLimit({ max: hookLimits.living.keptMax, what: 'posts to this hook are waiting' })
    this.#waiting.set(hook, made)
    return made
  }

  #wordsOf(hook: StoredHook): GatewayWords {
    return wordsIn[hook.lang ?? this.#parts.language]
  }
}

function keyOf({ id: hook }: StoredHook, header: string): MemoryKey<'key'> {
  return { hook, kind: 'key', name: digest(`key ${header}`) }
}

/** Waits for both, even if one fails: nothing keeps running after the caller has returned. */
async function bothDone(...works: Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}
