// A post to a hook: from the secret in its address to a message that the relay has durably, or to a word why not.
import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { Client } from '@postern/core'
import { type Clock, CodedError, hookLimits, isCoded } from '@postern/protocol'
import { outcomeOf } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { whenGone } from '../waiting.ts'
import { Bodies } from './bodies.ts'
import { type Hooks, hashSecret, type StoredHook } from './hooks.ts'
import type { Change, HookMemory, Place } from './memory.ts'
import { Misses } from './misses.ts'
import { digest, readNews } from './news.ts'
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

export type ReceiverParts = { client: Client; hooks: Hooks; memory: HookMemory; clock: Clock; metrics: Metrics }

type Task = { hook: StoredHook; post: HookPost; body: Uint8Array; leftMs: () => number; gone: AbortSignal }
type Outcome = 'written' | 'silent'
type WritePlan = Extract<Plan, { kind: 'write' }>
/** Where it is found again, of which body it is, how far it has come, and what is remembered with its end. */
type Attempt = { at: Place<'attempt'>; bodyHash: string; progress: Progress; withIt: Change[] }

export class HookReceiver {
  readonly #parts: ReceiverParts
  readonly #lanes = new PostLanes()
  readonly #bodies = new Bodies()
  readonly #misses: Misses
  /** Attempts that are written, and whose senders still wait for the answer. */
  readonly #unheard = new Set<string>()

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    this.#misses = new Misses(parts.clock)
  }

  /** Resolves when it is written, or when there was nothing to write. */
  async receive(post: HookPost, gone: AbortSignal): Promise<void> {
    const { hooks, clock, metrics } = this.#parts
    const hook = hooks.find(post.secret)
    if (!hook) return await this.#misses.refuse(gone)
    if (hook.format === 'pipeline') checkToken(hook, post.vcsToken)
    try {
      const outcome = await this.#bodies.with(post.upload, body => {
        const leftMs = timeLeft(clock, hookLimits.postWithinMs)
        return this.#lanes.run(hook.id, () => this.#carryOut({ hook, post, body, leftMs, gone }))
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
    const { hook, post, body, gone } = task
    const { hooks, memory } = this.#parts
    if (!hooks.has(hook.id)) throw new CodedError('hook-not-found')
    // Nobody hears the answer: the sender will come again, and must not find that it was written behind its back.
    if (gone.aborted) throw new CodedError('rate-limited', { what: 'posts to this hook' })
    task.leftMs()
    const bodyHash = digest(body)
    const key = keyPlace(hook, post.idempotencyKey)
    const known = key && memory.get(key)
    if (known && known.body !== bodyHash) throw new CodedError('idempotency-conflict')
    if (known) return 'silent'
    const at: Place<'attempt'> = { hook: hook.id, kind: 'attempt', name: key?.name ?? bodyHash }
    const news = readNews({ hook, body, contentType: post.contentType })
    const sending = { chat: hook.chat, leftMs: task.leftMs }
    const progress = await settle(this.#parts, news, { own: this.#progress(at, bodyHash), sending })
    const plan: Plan = progress.kind === 'written' ? { kind: 'silent' } : planPost(this.#parts, hook, news)
    const withIt: Change[] = key && news.kind !== 'none' ? [{ at: key, put: { body: bodyHash } }] : []
    if (plan.kind === 'silent') {
      if (withIt.length > 0) await memory.write(...withIt)
      // It was said before, by whomever: the next repeat must not be taken for this attempt.
      const begun = memory.get(at)
      if (begun) this.#forgetWhenHeard(at, begun.attempt, gone)
      return 'silent'
    }
    await this.#write(task, plan, { at, bodyHash, progress, withIt })
    return 'written'
  }

  /** What was begun before and not ended is gone on with: what the relay has already is not sent again. */
  async #write(task: Task, plan: WritePlan, { at, bodyHash, progress, withIt }: Attempt): Promise<void> {
    const { client, memory, clock } = this.#parts
    const { about } = plan
    const attempt = progress.kind === 'new' ? randomUUID() : progress.attempt
    const isNoted = memory.get(at)?.attempt === attempt
    const notes: Change[] = [
      ...(isNoted ? [] : [{ at, put: { attempt, body: bodyHash } }]),
      ...(about ? [opening(about, attempt)] : []),
    ]
    // Written in the order of these calls, and so no later than the first part: at best both wait for the disk together.
    const noted = notes.length > 0 ? memory.write(...notes) : Promise.resolve()
    try {
      const sent = sendParts(client, plan, { chat: task.hook.chat, attempt, leftMs: task.leftMs })
      const [message] = await bothDone(sent, noted)
      const said = about && [closing(about), changeBy(memory, about, { message, saidMs: clock.nowMs() })]
      await memory.write({ at, put: { attempt, body: bodyHash, isWritten: true } }, ...(said ?? []), ...withIt)
      this.#forgetWhenHeard(at, attempt, task.gone)
    } catch (error) {
      if (isChatGone(error)) await memory.write({ at, forget: true }, ...(about ? [closing(about)] : []))
      throw error
    }
  }

  /** What is written counts for a short while, and only if its sender did not hear so: from anybody else the same body is news. */
  #progress(at: Place<'attempt'>, bodyHash: string): Progress {
    const { memory, clock } = this.#parts
    const begun = memory.get(at)
    if (!begun) return { kind: 'new' }
    const { attempt, body, isWritten, ts } = begun
    if (!isWritten && body !== bodyHash) throw new CodedError('idempotency-conflict')
    if (!isWritten) return { kind: 'begun', attempt }
    const isRetry = Math.abs(clock.nowMs() - ts) < hookLimits.unheardWithinMs && !this.#unheard.has(attempt)
    return isRetry ? { kind: 'written', attempt } : { kind: 'new' }
  }

  /** Who hung up, or was cut off when this process was killed, comes again: what it asked for must be found then. */
  #forgetWhenHeard(at: Place<'attempt'>, attempt: string, gone: AbortSignal): void {
    const { memory } = this.#parts
    this.#unheard.add(attempt)
    whenGone(gone, reason => {
      this.#unheard.delete(attempt)
      // In its place may be the attempt of somebody who said the same meanwhile.
      if (reason === 'answered' && memory.get(at)?.attempt === attempt) memory.forgetSoon(at)
    })
  }
}

/** Throws when there is none left: who waited for so long has given up, or is about to. */
function timeLeft(clock: Clock, withinMs: number): () => number {
  const endMs = clock.nowMs() + withinMs
  return () => {
    const leftMs = endMs - clock.nowMs()
    if (leftMs <= 0) throw new CodedError('rate-limited', { what: 'posts to this hook' })
    // A clock that was set back meanwhile gives nobody hours to wait.
    return Math.min(leftMs, withinMs)
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

function checkToken({ secretHash }: StoredHook, token: string | undefined): void {
  if (token !== undefined && !timingSafeEqual(Buffer.from(hashSecret(token)), Buffer.from(secretHash)))
    throw new CodedError('hook-token-wrong')
}

const isChatGone = (error: unknown): boolean =>
  isCoded(error, 'chat-not-found', 'chat-left', 'chat-is-request', 'account-not-found')
