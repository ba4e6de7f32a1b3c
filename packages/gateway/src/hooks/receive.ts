// A post to a hook: from the secret in its address to a message that the relay has durably, or to a word why not.
import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { Client } from '@postern/core'
import { type Clock, CodedError, contentLimits, hookLimits, isCoded, type MessageId, utf8 } from '@postern/protocol'
import { outcomeOf } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { whenGone } from '../waiting.ts'
import { Bodies } from './bodies.ts'
import { splitText } from './formats/split.ts'
import { type Hooks, hashSecret, type StoredHook } from './hooks.ts'
import type { Change, HookMemory, Place } from './memory.ts'
import { Misses } from './misses.ts'
import { digest, type Plan, planPost } from './plan.ts'
import { PostLanes } from './post-lanes.ts'

export type HookPost = {
  secret: string
  contentType: string | undefined
  vcsToken: string | undefined
  idempotencyKey: string | undefined
  upload: AsyncIterable<Uint8Array>
}

export type ReceiverParts = { client: Client; hooks: Hooks; memory: HookMemory; clock: Clock; metrics: Metrics }

type Task = { hook: StoredHook; post: HookPost; body: Uint8Array; endMs: number; gone: AbortSignal }
type Outcome = 'written' | 'silent'
type WritePlan = Extract<Plan, { kind: 'write' }>
/** Where it is found again, of which body it is, and what is remembered with its end. */
type Attempt = { at: Place<'attempt'>; bodyHash: string; withIt: Change[] }
type Begun = { attempt: string; bodyHash: string }

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
        const endMs = clock.nowMs() + hookLimits.postWithinMs
        return this.#lanes.run(hook.id, () => this.#carryOut({ hook, post, body, endMs, gone }))
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
    this.#leftMs(task)
    const bodyHash = digest(body)
    const key = keyPlace(hook, post.idempotencyKey)
    const known = key && memory.get(key)
    if (known && known.body !== bodyHash) throw new CodedError('idempotency-conflict')
    if (known) return 'silent'
    const at: Place<'attempt'> = { hook: hook.id, kind: 'attempt', name: key?.name ?? bodyHash }
    const plan = planPost(this.#parts, { hook, body, contentType: post.contentType })
    if (plan.kind === 'silent') {
      // It was said by another sender meanwhile: the next repeat must not be taken for this attempt.
      const begun = memory.get(at)
      if (begun) this.#forgetWhenHeard(at, begun.attempt, gone)
      return 'silent'
    }
    await this.#write(task, plan, { at, bodyHash, withIt: key ? [{ at: key, put: { body: bodyHash } }] : [] })
    return 'written'
  }

  /** What was begun in this place before and not ended is gone on with: what the relay has already is not sent again. */
  async #write(task: Task, plan: WritePlan, { at, bodyHash, withIt }: Attempt): Promise<void> {
    const { memory } = this.#parts
    const begun = this.#begun(at)
    const attempt = begun ?? randomUUID()
    // Written in the order of these calls, and so no later than the first part: at best both wait for the disk together.
    const noted = begun ? Promise.resolve() : memory.write({ at, put: { attempt } })
    try {
      const [first] = await bothDone(this.#sendParts(task, plan, { attempt, bodyHash }), noted)
      await memory.write({ at, put: { attempt, isWritten: true } }, ...plan.changes(first), ...withIt)
      this.#forgetWhenHeard(at, attempt, task.gone)
    } catch (error) {
      if (isChatGone(error)) await memory.write({ at, forget: true })
      throw error
    }
  }

  /**
   * An attempt that is to be gone on with. One that is written counts for a short while, and only if its sender did not
   * hear so: from anybody else the same body is news.
   */
  #begun(at: Place<'attempt'>): string | undefined {
    const begun = this.#parts.memory.get(at)
    if (!begun?.isWritten) return begun?.attempt
    const ageMs = Math.abs(this.#parts.clock.nowMs() - begun.ts)
    const isRetry = ageMs < hookLimits.unheardWithinMs && !this.#unheard.has(begun.attempt)
    return isRetry ? begun.attempt : undefined
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

  /** The id of the first. */
  async #sendParts(task: Task, plan: WritePlan, { attempt, bodyHash }: Begun): Promise<MessageId> {
    const { client } = this.#parts
    let first: MessageId | undefined
    for (const [part, text] of splitText(plan.text, contentLimits.textCharsMax).entries()) {
      const key = `hook:${attempt}:${part}`
      const replyTo = part === 0 ? plan.replyTo : undefined
      // Without mentions: what begins like a command must not be taken for one that the bot gives to another bot.
      const content = { text, mentions: [], ...(replyTo && { replyTo }) }
      const { id } = await client.sendText(task.hook.chat, content, {
        deadlineMs: this.#leftMs(task),
        idempotency: { key, request: utf8(bodyHash) },
      })
      first ??= id as MessageId
    }
    if (!first) throw new CodedError('internal')
    return first
  }

  #leftMs({ endMs }: Task): number {
    const leftMs = endMs - this.#parts.clock.nowMs()
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

function checkToken({ secretHash }: StoredHook, token: string | undefined): void {
  if (token !== undefined && !timingSafeEqual(Buffer.from(hashSecret(token)), Buffer.from(secretHash)))
    throw new CodedError('hook-token-wrong')
}

const isChatGone = (error: unknown): boolean =>
  isCoded(error, 'chat-not-found', 'chat-left', 'chat-is-request', 'account-not-found')
