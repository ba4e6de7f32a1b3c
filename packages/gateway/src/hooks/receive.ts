// Receives a post to a hook: from the secret in its address to a message that the relay has stored, or a reason why not.
import { randomUUID } from 'node:crypto'
import type { BotLanguage, DryRun } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { type Clock, CodedError, Deadline, hookLimits, isCoded, KeyedQueue, type Log } from '@postern/protocol'
import type { HttpCaller } from '../caller.ts'
import { LateRefusals } from '../late-refusals.ts'
import { outcomeOf } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { BodyMemory } from './body-memory.ts'
import { checkToken } from './check-sender.ts'
import { dryRun } from './dry-run.ts'
import { digest } from './formats/digest.ts'
import type { PlainAnswers } from './formats/format.ts'
import { formats } from './formats/formats.ts'
import { type PostBody, type PostHeaders, readBody } from './formats/post-body.ts'
import type { Hooks, StoredHook } from './hooks.ts'
import type { LastResults } from './last-results.ts'
import type { HookMemory, MemoryChange, MemoryKey, MemoryValues } from './memory.ts'
import { type PostPlan, planPost, type WritePlan } from './plan.ts'
import { type ParsedPost, readPost } from './read-post.ts'
import { type PostKeys, RetryDetector } from './retry-detector.ts'
import { isPartSent, partsOf, sendParts } from './send-parts.ts'
import { changeBy, closing, opening, type PostProgress, settle } from './settle.ts'
import { wordsIn } from './words/words.ts'

export type HookPost = {
  secret: string
  /** Those that the endpoint names. */
  headers: PostHeaders
  isDryRun: boolean
  upload: AsyncIterable<Uint8Array>
}

/** `plain`: in the sender's own words, instead of our JSON. */
export type HookAnswer = { kind: 'plain'; text: string; isRefusal: boolean } | { kind: 'json'; value: DryRun }

export type ReceiverParts = {
  client: Client
  hooks: Hooks
  last: LastResults
  memory: HookMemory
  living: LivingReceiver
  /** The language of hooks that have none of their own. */
  language: BotLanguage
  clock: Clock
  elapsed: Client['elapsed']
  metrics: Metrics
  log: Log
}

/** Posts to hooks whose messages live. */
export type LivingReceiver = {
  receive(post: { hook: StoredHook; headers: PostHeaders; body: Uint8Array; deadline: Deadline }): Promise<PostOutcome>
  preview(hook: StoredHook, body: PostBody): DryRun
}

type Task = { hook: StoredHook; post: HookPost; body: Uint8Array; leftMs: () => number; caller: HttpCaller }
type PostOutcome = 'written' | 'silent'
type PostEnd = { outcome: PostOutcome; answers?: PlainAnswers | undefined }
/** `keys`: where the post is found again. `withIt`: changes that are stored together with its end. */
type Attempt = { news: ParsedPost; keys: PostKeys; bodyHash: string; progress: PostProgress; withIt: MemoryChange[] }

const toldBefore: PostPlan = { kind: 'skip', why: 'it was written before, and its sender may not have heard so' }

export class HookReceiver {
  readonly #parts: ReceiverParts
  readonly #lanes = new KeyedQueue<string>({ max: hookLimits.waitingMax, what: 'posts to this hook are waiting' })
  readonly #bodies = new BodyMemory()
  readonly #misses: LateRefusals
  readonly #hearing: RetryDetector

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    this.#misses = new LateRefusals(parts.clock, 'unknown hooks')
    this.#hearing = new RetryDetector(parts.memory, parts.elapsed)
  }

  /** Resolves when the message is sent, or if there was nothing to send. */
  async receive(post: HookPost, caller: HttpCaller): Promise<HookAnswer> {
    const hook = this.#parts.hooks.find(post.secret)
    if (!hook) return await this.#misses.refuse(new CodedError('hook-not-found'), caller.gone)
    caller.trust()
    try {
      if (post.isDryRun) return { kind: 'json', value: await this.#dryRun(hook, post) }
      const { answers } = await this.#receive(hook, post, caller)
      return answers ? { kind: 'plain', text: answers.done, isRefusal: false } : { kind: 'json', value: {} }
    } catch (error) {
      const answers = post.isDryRun ? undefined : formats[hook.format].answers
      if (!answers || !isCoded(error, 'bad-field')) throw error
      return { kind: 'plain', text: answers.refusal(error), isRefusal: true }
    }
  }

  async #dryRun(hook: StoredHook, { headers, upload }: HookPost): Promise<DryRun> {
    return await this.#bodies.with(upload, async body =>
      hook.options?.living
        ? this.#parts.living.preview(hook, readBody(body, headers))
        : await dryRun(this.#parts, { hook, body, headers }),
    )
  }

  async #receive(hook: StoredHook, post: HookPost, caller: HttpCaller): Promise<PostEnd> {
    const { clock, metrics } = this.#parts
    try {
      if (formats[hook.format].comparesToken) checkToken(hook, post.headers['x-vcs-token'])
      const end = await this.#bodies.with(post.upload, body => {
        const deadline = new Deadline(clock, { timeoutMs: hookLimits.postWithinMs }, busy)
        if (hook.options?.living) return this.#live({ hook, post, body, caller }, deadline)
        const leftMs = () => deadline.leftMs()
        return this.#lanes.run(hook.id, () => this.#carryOut({ hook, post, body, leftMs, caller }))
      })
      metrics.hookPosts.add(end.outcome)
      this.#noteEnd(hook, { result: end.outcome })
      return end
    } catch (error) {
      metrics.hookPosts.add(outcomeOf(error))
      const refusal = isChatGone(error) ? new CodedError('hook-chat-gone', {}, { cause: error }) : error
      this.#noteEnd(hook, { error: refusal })
      throw refusal
    }
  }

  /** Without a lane: a post changes the state immediately, and the edits have a lane of their own. */
  async #live({ hook, post: { headers }, body, caller }: Omit<Task, 'leftMs'>, deadline: Deadline): Promise<PostEnd> {
    if (!this.#parts.hooks.has(hook.id)) throw new CodedError('hook-not-found')
    if (caller.gone.aborted) throw busy()
    return { outcome: await this.#parts.living.receive({ hook, headers, body, deadline }) }
  }

  #noteEnd({ id }: StoredHook, end: Parameters<LastResults['note']>[1]): void {
    if (this.#parts.hooks.has(id)) this.#parts.last.note(id, end)
  }

  async stop(): Promise<void> {
    await this.#lanes.idle()
  }

  async #carryOut(task: Task): Promise<PostEnd> {
    const { hook, post, body, caller } = task
    const { client, hooks, memory, elapsed, language } = this.#parts
    if (!hooks.has(hook.id)) throw new CodedError('hook-not-found')
    // Nobody receives the answer: the sender will retry, and must not find that its post was sent without its knowledge.
    if (caller.gone.aborted) throw busy()
    task.leftMs()
    const named = keyOf(hook, { header: post.headers['idempotency-key'], bodyHash: digest(body) })
    const known = named.key && memory.get(named.key)
    if (known && known.body !== named.bodyHash) throw new CodedError('idempotency-conflict')
    if (known) return this.#silent(hook, { why: 'it was written under its Idempotency-Key' })
    const words = wordsIn[hook.lang ?? language]
    const news = readPost({ hook, body, headers: post.headers, words })
    const { answers } = news.format
    const { key, bodyHash } = named.key ? named : deliveryKeyOf(hook, { delivery: news.delivery, ...named })
    if (!named.key && key && memory.get(key)) return this.#silent(hook, { why: 'its delivery was written', answers })
    // After hours offline, news would look like a repeat of older posts: it would be silent, and lost.
    if (!elapsed.isKnown) await client.whenOnline({ timeoutMs: task.leftMs() })
    const keys = postKeysOf(hook, { key, bodyHash, news })
    const target = { chat: hook.chat, leftMs: task.leftMs }
    const progress = await settle(this.#parts, news, { own: this.#progress(keys, bodyHash), target })
    const plan: PostPlan = progress.kind === 'written' ? toldBefore : planPost(this.#parts, hook, news)
    const withIt: MemoryChange[] = key && news.post.isNews ? [{ at: key, put: { body: bodyHash } }] : []
    if (plan.kind === 'skip') {
      if (withIt.length > 0) await memory.write(...withIt)
      // The same was reported before, perhaps by another sender: the next repeat must not count as this attempt.
      const begun = memory.get(keys.at)?.attempt ?? (progress.kind === 'written' ? progress.attempt : undefined)
      if (begun !== undefined) this.#hearing.watch(keys, begun, caller)
      return this.#silent(hook, { why: plan.why, answers })
    }
    await this.#write(task, plan, { news, keys, bodyHash, progress, withIt })
    return { outcome: 'written', answers }
  }

  #silent({ id }: StoredHook, { why, answers }: { why: string; answers?: PlainAnswers | undefined }): PostEnd {
    this.#parts.log.debug({ hook: id, why }, 'hook post ignored')
    return { outcome: 'silent', answers }
  }

  /** Continues an attempt that was begun and not ended: messages that the relay already has are not sent again. */
  async #write(task: Task, plan: WritePlan, { news, keys, bodyHash, progress, withIt }: Attempt): Promise<void> {
    const { client, memory, elapsed } = this.#parts
    const { about, replyTo, silent } = plan
    const { at } = keys
    const attempt = progress.kind === 'new' ? randomUUID() : progress.attempt
    const parts = partsOf(plan)
    const begun = { attempt, body: bodyHash, lastPart: parts.length - 1 }
    const notes: MemoryChange[] = [
      ...(this.#isNoted(at, begun) ? [] : [{ at, put: begun }]),
      ...(about ? [opening(about, attempt)] : []),
    ]
    // Written in the order of these calls, and so no later than the first part, whose write waits for the disk for
    // both: no part can be at the relay without a note here.
    const noted = notes.length > 0 ? this.#note(notes) : Promise.resolve()
    try {
      const sent = sendParts(client, { parts, replyTo, silent }, { chat: task.hook.chat, attempt, leftMs: task.leftMs })
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

type Named = { key: MemoryKey<'key'> | undefined; bodyHash: string }

function keyOf(hook: StoredHook, { header, bodyHash }: { header: string | undefined; bodyHash: string }): Named {
  return { key: !header ? undefined : { hook: hook.id, kind: 'key', name: digest(`key ${header}`) }, bodyHash }
}

/** A delivery is one event whatever its body: the name of the delivery stands for it, and no body contradicts it. */
function deliveryKeyOf(
  hook: StoredHook,
  { delivery, bodyHash }: { delivery?: string | undefined; bodyHash: string },
): Named {
  if (delivery === undefined) return { key: undefined, bodyHash }
  const name = digest(`delivery ${delivery}`)
  return { key: { hook: hook.id, kind: 'key', name }, bodyHash: name }
}

type Known = { key: MemoryKey<'key'> | undefined; bodyHash: string; news: ParsedPost }

/** Without a key, the body identifies a post. */
function postKeysOf({ id: hook }: StoredHook, { key, bodyHash, news }: Known): PostKeys {
  const at: MemoryKey<'attempt'> = { hook, kind: 'attempt', name: key?.name ?? bodyHash }
  const answeredAt: MemoryKey<'answered'> = { hook, kind: 'answered', name: bodyHash }
  return { at, repeat: news.post.repeat, ...(!key && { answeredAt }) }
}

const isChatGone = (error: unknown): boolean =>
  isCoded(error, 'chat-not-found', 'chat-left', 'chat-is-request', 'account-not-found')
