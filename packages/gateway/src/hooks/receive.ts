// Receives a post to a hook: from the secret in its address to a message that the relay has stored, or a reason why not.
import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { Client } from '@postern/core'
import { type Clock, CodedError, Deadline, hookLimits, isCoded, KeyedQueue, type Log } from '@postern/protocol'
import type { HttpCaller } from '../caller.ts'
import { outcomeOf } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { BodyMemory } from './body-memory.ts'
import { digest } from './formats/digest.ts'
import { formats } from './formats/formats.ts'
import { type Hooks, hashSecret, type StoredHook } from './hooks.ts'
import type { HookMemory, MemoryChange, MemoryKey, MemoryValues } from './memory.ts'
import { type PostPlan, planPost, type WritePlan } from './plan.ts'
import { type ParsedPost, readPost } from './read-post.ts'
import { type PostKeys, RetryDetector } from './retry-detector.ts'
import { isPartSent, partsOf, sendParts } from './send-parts.ts'
import { changeBy, closing, opening, type PostProgress, settle } from './settle.ts'
import { UnknownSecretDelay } from './unknown-secret-delay.ts'

export type HookPost = {
  secret: string
  contentType: string | undefined
  vcsToken: string | undefined
  idempotencyKey: string | undefined
  upload: AsyncIterable<Uint8Array>
}

export type ReceiverParts = {
  client: Client
  hooks: Hooks
  memory: HookMemory
  clock: Clock
  elapsed: Client['elapsed']
  metrics: Metrics
  log: Log
}

type Task = { hook: StoredHook; post: HookPost; body: Uint8Array; leftMs: () => number; caller: HttpCaller }
type PostOutcome = 'written' | 'silent'
/** `keys`: where the post is found again. `withIt`: changes that are stored together with its end. */
type Attempt = { news: ParsedPost; keys: PostKeys; bodyHash: string; progress: PostProgress; withIt: MemoryChange[] }

const toldBefore: PostPlan = { kind: 'silent', why: 'it was written before, and its sender may not have heard so' }

export class HookReceiver {
  readonly #parts: ReceiverParts
  readonly #lanes = new KeyedQueue<string>({ max: hookLimits.waitingMax, what: 'posts to this hook are waiting' })
  readonly #bodies = new BodyMemory()
  readonly #misses: UnknownSecretDelay
  readonly #hearing: RetryDetector

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    this.#misses = new UnknownSecretDelay(parts.clock)
    this.#hearing = new RetryDetector(parts.memory, parts.elapsed)
  }

  /** Resolves when the message is sent, or if there was nothing to send. */
  async receive(post: HookPost, caller: HttpCaller): Promise<void> {
    const { hooks, clock, metrics } = this.#parts
    const hook = hooks.find(post.secret)
    if (!hook) return await this.#misses.refuse(caller.gone)
    caller.trust()
    if (formats[hook.format].comparesToken) checkToken(hook, post.vcsToken)
    try {
      const outcome = await this.#bodies.with(post.upload, body => {
        const deadline = new Deadline(clock, { timeoutMs: hookLimits.postWithinMs }, busy)
        const leftMs = () => deadline.leftMs()
        return this.#lanes.run(hook.id, () => this.#carryOut({ hook, post, body, leftMs, caller }))
      })
      metrics.hookPosts.add(outcome)
    } catch (error) {
      metrics.hookPosts.add(outcomeOf(error))
      throw isChatGone(error) ? new CodedError('hook-chat-gone', {}, { cause: error }) : error
    }
  }

  async stop(): Promise<void> {
    await this.#lanes.idle()
  }

  async #carryOut(task: Task): Promise<PostOutcome> {
    const { hook, post, body, caller } = task
    const { client, hooks, memory, elapsed } = this.#parts
    if (!hooks.has(hook.id)) throw new CodedError('hook-not-found')
    // Nobody receives the answer: the sender will retry, and must not find that its post was sent without its knowledge.
    if (caller.gone.aborted) throw busy()
    task.leftMs()
    const bodyHash = digest(body)
    const key = idempotencyKeyOf(hook, post.idempotencyKey)
    const known = key && memory.get(key)
    if (known && known.body !== bodyHash) throw new CodedError('idempotency-conflict')
    if (known) return this.#silent(hook, 'it was written under its Idempotency-Key')
    const news = readPost({ hook, body, contentType: post.contentType })
    // After hours offline, news would look like a repeat of older posts: it would be silent, and lost.
    if (!elapsed.isKnown) await client.whenOnline({ timeoutMs: task.leftMs() })
    const keys = postKeysOf(hook, { key, bodyHash, news })
    const target = { chat: hook.chat, leftMs: task.leftMs }
    const progress = await settle(this.#parts, news, { own: this.#progress(keys, bodyHash), target })
    const plan: PostPlan = progress.kind === 'written' ? toldBefore : planPost(this.#parts, hook, news)
    const withIt: MemoryChange[] = key && news.post.isNews ? [{ at: key, put: { body: bodyHash } }] : []
    if (plan.kind === 'silent') {
      if (withIt.length > 0) await memory.write(...withIt)
      // The same was reported before, perhaps by another sender: the next repeat must not count as this attempt.
      const begun = memory.get(keys.at)?.attempt ?? (progress.kind === 'written' ? progress.attempt : undefined)
      if (begun !== undefined) this.#hearing.watch(keys, begun, caller)
      return this.#silent(hook, plan.why)
    }
    await this.#write(task, plan, { news, keys, bodyHash, progress, withIt })
    return 'written'
  }

  #silent({ id }: StoredHook, why: string): PostOutcome {
    this.#parts.log.debug({ hook: id, why }, 'hook post ignored')
    return 'silent'
  }

  /** Continues an attempt that was begun and not ended: messages that the relay already has are not sent again. */
  async #write(task: Task, plan: WritePlan, { news, keys, bodyHash, progress, withIt }: Attempt): Promise<void> {
    const { client, memory, elapsed } = this.#parts
    const { about, replyTo } = plan
    const { at } = keys
    const attempt = progress.kind === 'new' ? randomUUID() : progress.attempt
    const parts = partsOf(plan.text)
    const begun = { attempt, body: bodyHash, lastPart: parts.length - 1 }
    const notes: MemoryChange[] = [
      ...(this.#isNoted(at, begun) ? [] : [{ at, put: begun }]),
      ...(about ? [opening(about, attempt)] : []),
    ]
    // Written in the order of these calls, and so no later than the first part, whose write waits for the disk for
    // both: no part can be at the relay without a note here.
    const noted = notes.length > 0 ? this.#note(notes) : Promise.resolve()
    try {
      const sent = sendParts(client, { parts, replyTo }, { chat: task.hook.chat, attempt, leftMs: task.leftMs })
      const [message] = await bothDone(sent, noted)
      const said = about && [closing(about), changeBy(memory, news, { about, message, saidMs: elapsed.nowMs() })]
      // The relay has the message, and its sender is answered immediately. If this note is lost with a kill, with the
      // power or on a full disk, the attempt reveals it again, because it went to the disk with the message. The next
      // post of this body finds it by the key of its last part, and the next post about this subject by the open entry.
      memory.changeSoon(...(said ?? []), ...withIt)
      this.#hearing.watch(keys, attempt, task.caller)
    } catch (error) {
      if (isChatGone(error)) await memory.write({ at, forget: true }, ...(about ? [closing(about)] : []))
      else await this.#noteDoubt({ at, put: { attempt, body: bodyHash } })
      throw error
    }
  }

  #isNoted(at: MemoryKey<'attempt'>, { attempt, lastPart }: { attempt: string; lastPart: number }): boolean {
    const { memory } = this.#parts
    const known = memory.get(at)
    return known?.attempt === attempt && known.lastPart === lastPart && !memory.isOnlyHeld(at)
  }

  async #note(notes: MemoryChange[]): Promise<void> {
    const { memory } = this.#parts
    try {
      await memory.writeAhead(...notes)
    } catch (error) {
      // On a nearly full disk the first part may find the space that this did not: the next try has to know of it.
      memory.hold(...notes)
      throw error
    }
  }

  /**
   * On the disk before the sender is answered that the outcome is unknown: it may retry for a day, and a message that
   * arrived meanwhile must not count as acknowledged.
   */
  async #noteDoubt(doubt: MemoryChange): Promise<void> {
    const { memory } = this.#parts
    try {
      await memory.write(doubt)
    } catch {
      memory.hold(doubt)
    }
  }

  #progress(keys: PostKeys, bodyHash: string): PostProgress {
    const begun = this.#parts.memory.get(keys.at)
    if (begun && !this.#isWritten(begun, keys)) {
      if (begun.body !== bodyHash) throw new CodedError('idempotency-conflict')
      return { kind: 'begun', attempt: begun.attempt }
    }
    const attempt = this.#hearing.unheard(keys)
    return attempt === undefined ? { kind: 'new' } : { kind: 'written', attempt }
  }

  /** A post that was begun under a key is never news again, however long ago it was sent. */
  #isWritten({ attempt, lastPart: part, isWritten }: MemoryValues['attempt'], { answeredAt }: PostKeys): boolean {
    if (isWritten) return true
    return answeredAt !== undefined && part !== undefined && isPartSent(this.#parts.client, { attempt, part })
  }
}

/** Also for a sender that waited too long: it has given up, or is about to. */
const busy = (): CodedError => new CodedError('rate-limited', { what: 'posts to this hook' })

/** Waits for both, even if one fails: nothing keeps running after the caller has returned. */
async function bothDone<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return await Promise.all([one, other])
}

function idempotencyKeyOf(hook: StoredHook, key: string | undefined): MemoryKey<'key'> | undefined {
  return !key ? undefined : { hook: hook.id, kind: 'key', name: digest(`key ${key}`) }
}

type Known = { key: MemoryKey<'key'> | undefined; bodyHash: string; news: ParsedPost }

/** Without a key, the body identifies a post. */
function postKeysOf({ id: hook }: StoredHook, { key, bodyHash, news }: Known): PostKeys {
  const at: MemoryKey<'attempt'> = { hook, kind: 'attempt', name: key?.name ?? bodyHash }
  const answeredAt: MemoryKey<'answered'> = { hook, kind: 'answered', name: bodyHash }
  return { at, repeat: news.post.repeat, ...(!key && { answeredAt }) }
}

function checkToken({ secretHash }: StoredHook, token: string | undefined): void {
  if (token !== undefined && !timingSafeEqual(Buffer.from(hashSecret(token)), Buffer.from(secretHash)))
    throw new CodedError('hook-token-wrong')
}

const isChatGone = (error: unknown): boolean =>
  isCoded(error, 'chat-not-found', 'chat-left', 'chat-is-request', 'account-not-found')
