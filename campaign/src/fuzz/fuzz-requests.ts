// Sends mutated requests over several kept connections, checks every answer, and checks whether a refused one had an effect.
import { SeededRandom } from '@postern/testkit'
import { type FuzzRequest, fuzzRequest } from './bend-request.ts'
import type { FuzzWorld } from './fuzz-world.ts'
import { type Heard, type HttpAnswer, HttpLine } from './http-line.ts'
import { answerFault, jsonOf } from './judge-answer.ts'
import { rawRequest } from './raw-requests.ts'
import { changes, stateOf, whenCalm } from './state.ts'

export type RequestPlan = { requests: number; seed: number; first: number }
export type RequestCounts = Record<string, number>
export type Case = { what: string; fault: string; bytes: Buffer }

type TelegramMessage = { message_id?: number; chat?: { id: number }; poll?: object; document?: object; text?: string }

const CONNECTIONS = 8
/** Shares of all requests: barely HTTP, and sent alone with a comparison of the state before and after. */
const RAW_SHARE = 0.05
const ALONE_SHARE = 0.01
/** The gateway's own limits are far below: a later answer was forgotten. */
const ANSWER_WITHIN_MS = 60_000
const CASES_MAX = 50
/** Neighbouring seeds must not give neighbouring numbers. */
const STEP = 0x9e3779b1

/** The same number of the same run is the same request, whatever came before: a case can be repeated alone. */
const randomOf = (seed: number, number: number): SeededRandom => new SeededRandom(seed ^ Math.imul(number + 1, STEP))

export class RequestFuzz {
  readonly #world: FuzzWorld
  readonly #plan: RequestPlan
  readonly counts: RequestCounts = {}
  readonly cases: Case[] = []
  #next: number
  readonly #alone: number[] = []

  constructor(world: FuzzWorld, plan: RequestPlan) {
    this.#world = world
    this.#plan = plan
    this.#next = plan.first
  }

  async run(): Promise<void> {
    const { port } = new URL(this.#world.gateway.url)
    const lines = Array.from({ length: CONNECTIONS }, () => new HttpLine(Number(port)))
    await Promise.all(lines.map(line => this.#work(line)))
    if (this.#alone.length > 0) await whenCalm(this.#world)
    for (const number of this.#alone) {
      if (this.#isOver) break
      await this.#sendAlone(number, lines[0] ?? new HttpLine(Number(port)))
    }
    for (const line of lines) line.close()
  }

  get #isOver(): boolean {
    return this.cases.length >= CASES_MAX || this.#world.gateway.crash !== undefined
  }

  async #work(line: HttpLine): Promise<void> {
    const end = this.#plan.first + this.#plan.requests
    for (let number = this.#next++; number < end && !this.#isOver; number = this.#next++) {
      const random = randomOf(this.#plan.seed, number)
      const share = random.next()
      if (share < RAW_SHARE) await this.#sendRaw(number, random)
      else if (share < RAW_SHARE + ALONE_SHARE) this.#alone.push(number)
      else await this.#send(number, { line, random })
    }
  }

  async #send(
    number: number,
    { line, random }: { line: HttpLine; random: SeededRandom },
  ): Promise<HttpAnswer | undefined> {
    const request = fuzzRequest(this.#world.known, random)
    const { bytes, isHead } = request
    const heard = await this.#asked(line.ask({ bytes, isHead, answers: 1, withinMs: ANSWER_WITHIN_MS }))
    if (heard.kind !== 'answered') {
      // The previous answer may have been the last on this connection: then nobody has seen this request.
      const again = await this.#asked(line.ask({ bytes, isHead, answers: 1, withinMs: ANSWER_WITHIN_MS }))
      if (again.kind !== 'answered')
        this.#fail(`request ${number}`, { fault: `it was not answered: ${again.kind}`, bytes })
      return this.#judge(number, request, again)
    }
    return this.#judge(number, request, heard)
  }

  async #asked(asking: Promise<Heard>): Promise<Heard> {
    return await asking.catch((): Heard => ({ kind: 'closed' }))
  }

  #judge(number: number, request: FuzzRequest, heard: Heard): HttpAnswer | undefined {
    const [answer] = heard.kind === 'answered' ? heard.answers : []
    if (!answer) return undefined
    this.#count(String(answer.status))
    const fault = answerFault(answer, request)
    if (fault !== undefined) this.#fail(`request ${number}`, { fault, bytes: request.bytes })
    this.#learn(request, answer)
    return answer
  }

  /** Created objects can be mutated next. */
  #learn({ name, chat }: FuzzRequest, { status, body }: HttpAnswer): void {
    if (status !== 200) return
    if (name === 'telegram call') return this.#learnNumber(body)
    const { messages, spareHooks, spareInvites, spareTokens } = this.#world.known
    const { id } = (jsonOf(body) ?? {}) as { id?: string }
    if (id === undefined) return
    if (name === 'createHook' && spareHooks.length < 100) spareHooks.push(id)
    if (name === 'createToken' && spareTokens.length < 100) spareTokens.push(id)
    if (name === 'createInvite' && spareInvites.length < 100) spareInvites.push(id)
    if (chat === undefined) return
    if (name === 'sendMessage') messages.add('text', { chat, id })
    if (name === 'sendPoll') messages.add('poll', { chat, id })
    if (name === 'sendFile') messages.add('file', { chat, id })
  }

  #learnNumber(body: Buffer): void {
    const { result } = (jsonOf(body) ?? {}) as { result?: TelegramMessage }
    const { message_id: number, chat, poll, document, text } = result ?? {}
    if (number === undefined || !chat) return
    const kind = poll ? 'poll' : document ? 'file' : 'text'
    if (kind !== 'text' || text !== undefined)
      this.#world.known.telegramMessages.add(kind, { chat: String(chat.id), id: String(number) })
  }

  async #sendRaw(number: number, random: SeededRandom): Promise<void> {
    const { port } = new URL(this.#world.gateway.url)
    const line = new HttpLine(Number(port))
    const { bytes, answers, isAbandoned } = rawRequest(this.#world.known, random)
    const asking = { bytes, isHead: false, answers, withinMs: isAbandoned ? 1 : ANSWER_WITHIN_MS, ends: true }
    const heard = await this.#asked(line.ask(asking))
    line.close()
    this.#count('raw')
    if (heard.kind === 'late' && !isAbandoned)
      this.#fail(`request ${number}`, { fault: 'it was neither answered nor closed', bytes })
    for (const answer of heard.kind === 'answered' ? heard.answers : []) {
      const fault = answerFault(answer, { name: undefined, isHead: false })
      if (fault !== undefined) this.#fail(`request ${number}`, { fault, bytes })
    }
  }

  async #sendAlone(number: number, line: HttpLine): Promise<void> {
    const random = randomOf(this.#plan.seed, number)
    random.next()
    const before = await stateOf(this.#world)
    const answer = await this.#send(number, { line, random })
    const after = await stateOf(this.#world)
    this.#count('looked after')
    const changed = changes(before, after)
    if (!answer || answer.status < 400 || answer.status >= 500 || changed.length === 0) return
    const fault = `it was answered ${answer.status}, and something has changed:\n${changed.join('\n')}`
    this.#fail(`request ${number}`, {
      fault,
      bytes: fuzzRequest(this.#world.known, randomOf(this.#plan.seed, number)).bytes,
    })
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /** The first case of each fault: a common one must not hide the others. */
  #fail(what: string, { fault, bytes }: { fault: string; bytes: Buffer }): void {
    this.#count('faults')
    if (this.cases.every(known => known.fault !== fault)) this.cases.push({ what, fault, bytes })
  }
}
