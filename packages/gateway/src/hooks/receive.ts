// A post to a hook: from the secret in its address to a message that the relay has durably, or to a word why not.
import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { Client } from '@postern/core'
import { type Clock, CodedError, hookLimits, isCoded } from '@postern/protocol'
import { outcomeOf } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Caller } from '../waiting.ts'
import { Bodies } from './bodies.ts'
import { Hearing, type Spot } from './hearing.ts'
import { type Hooks, hashSecret, type StoredHook } from './hooks.ts'
import type { Change, HookMemory, Place } from './memory.ts'
import { Misses } from './misses.ts'
import { digest, type News, readNews } from './news.ts'
import { type Plan, planPost } from './plan.ts'
import { PostLanes } from './post-lanes.ts'
import { sendParts } from './send-parts.ts'
import { changeBy, closing, opening, type Progress, settle } from './settle.ts'

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
  passed: Client['passed']
  metrics: Metrics
}

type Task = { hook: StoredHook; post: HookPost; body: Uint8Array; leftMs: () => number; caller: Caller }
type Outcome = 'written' | 'silent'
type WritePlan = Extract<Plan, { kind: 'write' }>
/** Where it is found again, of which body it is, how far it has come, and what is remembered with its end. */
type Attempt = { spot: Spot; bodyHash: string; progress: Progress; withIt: Change[] }

export class HookReceiver {
  readonly #parts: ReceiverParts
  readonly #lanes = new PostLanes()
  readonly #bodies = new Bodies()
  readonly #misses: Misses
  readonly #hearing: Hearing

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    this.#misses = new Misses(parts.clock)
    this.#hearing = new Hearing(parts.memory, parts.passed)
  }

  /** Resolves when it is written, or when there was nothing to write. */
  async receive(post: HookPost, caller: Caller): Promise<void> {
    const { hooks, clock, metrics } = this.#parts
    const hook = hooks.find(post.secret)
    if (!hook) return await this.#misses.refuse(caller.gone)
    if (hook.format === 'pipeline') checkToken(hook, post.vcsToken)
    try {
      const outcome = await this.#bodies.with(post.upload, body => {
        const leftMs = timeLeft(clock, hookLimits.postWithinMs)
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

  async #carryOut(task: Task): Promise<Outcome> {
    const { hook, post, body, caller } = task
    const { client, hooks, memory, passed } = this.#parts
    if (!hooks.has(hook.id)) throw new CodedError('hook-not-found')
    // Nobody hears the answer: the sender will come again, and must not find that it was written behind its back.
    if (caller.gone.aborted) throw new CodedError('rate-limited', { what: 'posts to this hook' })
    task.leftMs()
    const bodyHash = digest(body)
    const key = keyPlace(hook, post.idempotencyKey)
    const known = key && memory.get(key)
    if (known && known.body !== bodyHash) throw new CodedError('idempotency-conflict')
    if (known) return 'silent'
    const news = readNews({ hook, body, contentType: post.contentType })
    // After hours in which nothing ran, what was said before them would be taken for a repeat: silent, and lost.
    if (!passed.isKnown) await client.whenOnline({ deadlineMs: task.leftMs() })
    const spot = spotOf(hook, { key, bodyHash, news })
    const sending = { chat: hook.chat, leftMs: task.leftMs }
    const progress = await settle(this.#parts, news, { own: this.#progress(spot, bodyHash), sending })
    const plan: Plan = progress.kind === 'written' ? { kind: 'silent' } : planPost(this.#parts, hook, news)
    const withIt: Change[] = key && news.kind !== 'none' ? [{ at: key, put: { body: bodyHash } }] : []
    if (plan.kind === 'silent') {
      if (withIt.length > 0) await memory.write(...withIt)
      // It was said before, by whomever: the next repeat must not be taken for this attempt.
      const begun = memory.get(spot.at)?.attempt ?? (progress.kind === 'written' ? progress.attempt : undefined)
      if (begun !== undefined) this.#hearing.watch(spot, begun, caller)
      return 'silent'
    }
    await this.#write(task, plan, { spot, bodyHash, progress, withIt })
    return 'written'
  }

  /** What was begun before and not ended is gone on with: what the relay has already is not sent again. */
  async #write(task: Task, plan: WritePlan, { spot, bodyHash, progress, withIt }: Attempt): Promise<void> {
    const { client, memory, passed } = this.#parts
    const { about } = plan
    const { at } = spot
    const attempt = progress.kind === 'new' ? randomUUID() : progress.attempt
    const isNoted = memory.get(at)?.attempt === attempt && !memory.isOnlyHeld(at)
    const notes: Change[] = [
      ...(isNoted ? [] : [{ at, put: { attempt, body: bodyHash } }]),
      ...(about ? [opening(about, attempt)] : []),
    ]
    // Written in the order of these calls, and so no later than the first part: at best both wait for the disk together.
    const noted = notes.length > 0 ? this.#note(notes) : Promise.resolve()
    try {
      const sent = sendParts(client, plan, { chat: task.hook.chat, attempt, leftMs: task.leftMs })
      const [message] = await bothDone(sent, noted)
      const said = about && [closing(about), changeBy(memory, about, { message, saidMs: passed.nowMs() })]
      await memory.write({ at, put: { attempt, body: bodyHash, isWritten: true } }, ...(said ?? []), ...withIt)
      this.#hearing.watch(spot, attempt, task.caller)
    } catch (error) {
      if (isChatGone(error)) await memory.write({ at, forget: true }, ...(about ? [closing(about)] : []))
      throw error
    }
  }

  async #note(notes: Change[]): Promise<void> {
    const { memory } = this.#parts
    try {
      await memory.write(...notes)
    } catch (error) {
      // On a disk that is nearly full the first part may find the room that this did not: the next try has to know of it.
      memory.hold(...notes)
      throw error
    }
  }

  #progress(spot: Spot, bodyHash: string): Progress {
    const begun = this.#parts.memory.get(spot.at)
    if (begun && !begun.isWritten) {
      if (begun.body !== bodyHash) throw new CodedError('idempotency-conflict')
      return { kind: 'begun', attempt: begun.attempt }
    }
    const attempt = this.#hearing.unheard(spot)
    return attempt === undefined ? { kind: 'new' } : { kind: 'written', attempt }
  }
}

/** Throws when there is none left: who waited for so long has given up, or is about to. */
function timeLeft(clock: Clock, withinMs: number): () => number {
  const endMs = clock.monotonicMs() + withinMs
  return () => {
    const leftMs = endMs - clock.monotonicMs()
    if (leftMs <= 0) throw new CodedError('rate-limited', { what: 'posts to this hook' })
    return leftMs
  }
}

/** Nothing is left running when one of them fails. */
async function bothDone<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return await Promise.all([one, other])
}

function keyPlace(hook: StoredHook, key: string | undefined): Place<'key'> | undefined {
  return !key ? undefined : { hook: hook.id, kind: 'key', name: digest(`key ${key}`) }
}

type Known = { key: Place<'key'> | undefined; bodyHash: string; news: News }

/** Without a key a post is known by its body. */
function spotOf({ id: hook }: StoredHook, { key, bodyHash, news }: Known): Spot {
  const at: Place<'attempt'> = { hook, kind: 'attempt', name: key?.name ?? bodyHash }
  const isOneEvent = news.kind === 'pipeline' && news.run.number !== undefined
  const { run, text } = hookLimits.repeatWithinMs
  // A group of alerts is known by what it says, whoever says it: see planPost.
  const repeatWithinMs = isOneEvent ? run : news.kind === 'alerts' ? 0 : text
  const answeredAt: Place<'answered'> = { hook, kind: 'answered', name: bodyHash }
  return { at, repeatWithinMs, isOneEvent, ...(!key && { answeredAt }) }
}

function checkToken({ secretHash }: StoredHook, token: string | undefined): void {
  if (token !== undefined && !timingSafeEqual(Buffer.from(hashSecret(token)), Buffer.from(secretHash)))
    throw new CodedError('hook-token-wrong')
}

const isChatGone = (error: unknown): boolean =>
  isCoded(error, 'chat-not-found', 'chat-left', 'chat-is-request', 'account-not-found')
