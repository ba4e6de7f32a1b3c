// The actors: people through their lines, bots through HTTP. Their answers become outcomes.
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '@postern/bot-api/objects'
import type { PersonEvent, PersonProcess } from '@postern/testkit/processes'
import type { ToldEvent } from '../check/told-event.ts'
import type { Book, Tried } from './book.ts'

const PAGE = 100
const WITHIN_MS = 20_000

export class PersonDoer {
  readonly kind = 'person'
  readonly name: string
  readonly id: string
  readonly process: PersonProcess
  /** All events in order; after a kill the last ones come again. */
  readonly events: ToldEvent[] = []
  onEvent: (event: PersonEvent) => void = () => undefined
  readonly #book: Book

  constructor(person: { process: PersonProcess; id: string }, book: Book) {
    this.name = person.process.name
    this.id = person.id
    this.process = person.process
    this.#book = book
    this.process.onEvent = event => {
      this.events.push({ ...event, type: event.event, life: this.process.pid })
      this.onEvent(event)
    }
  }

  async do<Ok = unknown>(command: string, fields: object): Promise<Tried<Ok>> {
    await this.process.ready()
    const answer = await this.process.ask(command, fields)
    if (answer.kind === 'ok') return { outcome: 'acknowledged', ok: answer.ok as Ok }
    if (answer.kind === 'in-doubt') return { outcome: 'doubtful' }
    const { code, error } = answer
    if (code === 'unavailable') return { outcome: 'doubtful', error }
    if (code === 'internal') {
      this.#book.find({ wrong: 'fault-of-ours', deed: command, what: `${this.name}: ${error}` })
      return { outcome: 'doubtful', error }
    }
    this.#book.noteRefusal(`${command}: ${error}`)
    return { outcome: 'refused', error }
  }

  async list(chat: string): Promise<Message[]> {
    return await allPages(async before => {
      const page = await this.do<Message[]>('messages', { chat, limit: PAGE, ...(before && { before }) })
      if (!page.ok) throw new Error(`${this.name} does not list ${chat}`)
      return page.ok
    })
  }
}

export type Call = { method?: string; path: string; json?: object; body?: BodyInit; key?: string }

export class BotDoer {
  readonly kind = 'bot'
  readonly name: string
  readonly #api: { url: string; token: string }
  readonly #book: Book
  id = ''

  constructor(name: string, api: { url: string; token: string }, book: Book) {
    this.name = name
    this.#api = api
    this.#book = book
  }

  async call<Ok = unknown>({ method = 'POST', path, json, body, key }: Call): Promise<Tried<Ok>> {
    const headers = {
      authorization: `Bearer ${this.#api.token}`,
      ...(json && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const sent = json ? JSON.stringify(json) : body
    const init = { method, headers, signal: AbortSignal.timeout(WITHIN_MS), ...(sent !== undefined && { body: sent }) }
    // Cut, killed, or silent for too long: the outcome is unknown.
    const answer = await fetch(`${this.#api.url}/v1/${path}`, init).catch(() => undefined)
    const text = await answer?.text().catch(() => undefined)
    if (!answer || text === undefined) return { outcome: 'doubtful' }
    return this.#outcome<Ok>({
      status: answer.status,
      text,
      what: `${method} ${path.replaceAll(/[A-Za-z0-9_-]{20,}/g, '…')}`,
    })
  }

  /** SHA-256 of the downloaded bytes, or the error. */
  async download(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${this.#api.token}` }
    const answer = await fetch(`${this.#api.url}/v1/${path}`, { headers }).catch(() => undefined)
    const bytes = await answer?.bytes().catch(() => undefined)
    if (!answer?.ok || !bytes) return `nothing: ${answer?.status}`
    return createHash('sha256').update(bytes).digest('hex')
  }

  /** The same request under one key, until its outcome is known. */
  async insist<Ok = unknown>(call: Call & { key: string }, triesMax = 20): Promise<Tried<Ok>> {
    for (let tries = 1; ; tries++) {
      const tried = await this.call<Ok>(call)
      if (tried.outcome !== 'doubtful' || tries >= triesMax) return tried
      await pause(300)
    }
  }

  async list(chat: string): Promise<Message[]> {
    return await allPages(async before => {
      const path = `chats/${chat}/messages?limit=${PAGE}${before ? `&before=${before}` : ''}`
      const page = await this.call<Message[]>({ method: 'GET', path })
      if (!page.ok) throw new Error(`${this.name} does not list ${chat}`)
      return page.ok
    })
  }

  #outcome<Ok>({ status, text, what }: { status: number; text: string; what: string }): Tried<Ok> {
    const ok = parsed(text)
    if (status >= 200 && status < 300 && ok) return { outcome: 'acknowledged', ok: ok as Ok }
    const error = (ok as { error?: string } | undefined)?.error ?? text
    if (status === 503 || status < 300) return { outcome: 'doubtful', error }
    if (status >= 500) {
      this.#book.find({ wrong: 'fault-of-ours', deed: what, what: `${this.name}: ${what}: ${status} ${error}` })
      return { outcome: 'doubtful', error }
    }
    this.#book.noteRefusal(`${what}: ${status} ${error}`)
    return { outcome: 'refused', error }
  }
}

export type Doer = PersonDoer | BotDoer

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function allPages(page: (before: number | undefined) => Promise<Message[]>): Promise<Message[]> {
  const all: Message[] = []
  for (;;) {
    const older = await page(all[0]?.ts)
    all.unshift(...older)
    if (older.length < PAGE) return all
  }
}
