// Posts malformed bodies to a hook of each format: every answer is documented, and no body keeps the event loop busy for long.
import { SeededRandom } from '@postern/testkit'
import type { Case, RequestCounts } from './fuzz-requests.ts'
import type { FuzzWorld } from './fuzz-world.ts'
import { type HookBody, type HookKind, hookBody, hookKinds } from './hook-bodies.ts'
import { type Heard, type HttpAnswer, HttpLine } from './http-line.ts'
import { answerFault } from './judge-answer.ts'

/** `bodies`: for each kind of hook. `stallMsMax`: a shorter stall is no fault. */
export type BodiesPlan = { bodies: number; seed: number; first: number; stallMsMax?: number | undefined }

const CONNECTIONS = 8
const ANSWER_WITHIN_MS = 60_000
const CASES_MAX = 50
/** A body is slow if it is so each time that it is posted alone: others, or a collection of garbage, may have been once. */
const ALONE_TIMES = 3
/** Until a line about a stall is read. */
const STALL_HEARD_MS = 100
const STEP = 0x9e3779b1
/** A long run takes hours on a small machine. */
const SAID_EVERY = 10_000
const slackAnswers = new Set(['ok', 'invalid_payload', 'no_text'])

type Posted = HookBody & { number: number; kind: HookKind; secret: string }

export class HookFuzz {
  readonly #world: FuzzWorld
  readonly #plan: BodiesPlan
  readonly counts: RequestCounts = {}
  readonly cases: Case[] = []
  readonly #secrets = new Map<HookKind, string>()
  readonly #underWay = new Set<Posted>()
  readonly #suspects = new Map<number, Posted>()
  #next: number
  #stalls: number[] = []

  constructor(world: FuzzWorld, plan: BodiesPlan) {
    this.#world = world
    this.#plan = plan
    this.#next = plan.first
  }

  async run(): Promise<void> {
    if (this.#plan.bodies === 0) return
    const { gateway, api, known } = this.#world
    for (const kind of hookKinds) {
      const { url } = await api<{ url: string }>('POST', '/v1/hooks', { chat_id: known.alice, ...kind.create })
      this.#secrets.set(kind, url.split('/').at(-1) ?? '')
    }
    const { onLine } = gateway
    gateway.onLine = line => {
      onLine(line)
      this.#hear(line)
    }
    const port = Number(new URL(gateway.url).port)
    const lines = Array.from({ length: CONNECTIONS }, () => new HttpLine(port))
    await Promise.all(lines.map(line => this.#work(line)))
    await this.#judgeSuspects(lines[0] ?? new HttpLine(port))
    for (const line of lines) line.close()
    gateway.onLine = onLine
  }

  #hear(line: string): void {
    const stallMs = /^\{"stallMs":(\d+)\}$/.exec(line)?.[1]
    if (stallMs === undefined) return
    this.#stalls.push(Number(stallMs))
    for (const posted of this.#underWay) this.#suspects.set(posted.number, posted)
  }

  get #isOver(): boolean {
    return this.cases.length >= CASES_MAX || this.#world.gateway.crash !== undefined
  }

  async #work(line: HttpLine): Promise<void> {
    const end = this.#plan.first + this.#plan.bodies * hookKinds.length
    for (let number = this.#next++; number < end && !this.#isOver; number = this.#next++) {
      await this.#post(this.#bodyOf(number), line)
      const posted = number + 1 - this.#plan.first
      if (posted % SAID_EVERY === 0) console.error(`${posted} bodies, ${this.cases.length} faults`)
    }
  }

  /** The same number of the same seed is the same body. */
  #bodyOf(number: number): Posted {
    const kind = hookKinds[number % hookKinds.length] as HookKind
    const body = hookBody(kind, new SeededRandom(this.#plan.seed ^ Math.imul(number + 1, STEP)))
    return { ...body, number, kind, secret: this.#secrets.get(kind) ?? '' }
  }

  async #post(posted: Posted, line: HttpLine): Promise<void> {
    const bytes = requestOf(posted)
    this.#underWay.add(posted)
    const heard = await asked(line, bytes)
    // The previous answer may have been the last on this connection.
    const again = heard.kind === 'answered' ? heard : await asked(line, bytes)
    this.#underWay.delete(posted)
    if (again.kind !== 'answered') return this.#fail(posted, `it was not answered: ${again.kind}`)
    const [answer] = again.answers
    if (!answer) return
    this.#count(`${posted.kind.name} ${answer.status}`)
    const fault = isSlackAnswer(posted, answer) ? undefined : answerFault(answer, { name: 'postHook', isHead: false })
    if (fault !== undefined) this.#fail(posted, fault)
  }

  async #judgeSuspects(line: HttpLine): Promise<void> {
    this.counts['stalls of 50 ms with 8 posts at a time'] = this.#stalls.length
    for (const posted of this.#suspects.values()) {
      const shortest = await this.#shortestStall(posted, line)
      if (shortest > (this.#plan.stallMsMax ?? 0))
        this.#fail(posted, `it alone kept the event loop busy for ${shortest} ms of processor time`)
    }
  }

  async #shortestStall(posted: Posted, line: HttpLine): Promise<number> {
    let shortest = Number.POSITIVE_INFINITY
    for (let time = 0; time < ALONE_TIMES && shortest > 0; time++) {
      this.#stalls = []
      await this.#post(posted, line)
      await new Promise(resolve => setTimeout(resolve, STALL_HEARD_MS))
      shortest = Math.min(shortest, Math.max(0, ...this.#stalls))
    }
    return shortest
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  #fail(posted: Posted, fault: string): void {
    this.#count('faults')
    const what = `body ${posted.number} for ${posted.kind.name}`
    const kinds = this.cases.filter(known => known.fault.replaceAll(/\d+/g, '') === fault.replaceAll(/\d+/g, ''))
    if (!kinds.some(known => known.what.endsWith(` ${posted.kind.name}`)))
      this.cases.push({ what, fault, bytes: requestOf(posted) })
  }
}

async function asked(line: HttpLine, bytes: Buffer): Promise<Heard> {
  const asking = { bytes, isHead: false, answers: 1, withinMs: ANSWER_WITHIN_MS }
  return await line.ask(asking).catch((): Heard => ({ kind: 'closed' }))
}

function requestOf({ secret, isDry, headers, bytes }: Posted): Buffer {
  const lines = [
    `POST /hooks/${secret}${isDry ? '?dry_run=1' : ''} HTTP/1.1`,
    'Host: x',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${bytes.length}`,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes])
}

/** Slack's senders read plain words; `auto` recognises them. */
const isSlackAnswer = ({ kind }: Posted, { headers, body, status }: HttpAnswer): boolean =>
  (kind.name === 'slack' || kind.name === 'auto') &&
  headers.get('content-type')?.startsWith('text/plain') === true &&
  slackAnswers.has(body.toString()) &&
  status === (body.toString() === 'ok' ? 200 : 400)
