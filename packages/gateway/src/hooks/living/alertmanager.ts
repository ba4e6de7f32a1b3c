// Asks the Alertmanagers of the settings: to create and to end silences, and which alerts they have. Never another address.
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { type Clock, Deferred, hookLimits } from '@postern/protocol'

// Importing it would load undici for the names that it re-exports: 13 MiB that nobody here uses.
const http = process.getBuiltinModule('node:http')

const limits = hookLimits.alertmanager

export type AlertmanagerSettings = { urls: readonly string[]; token?: string }

/**
 * `away`: it certainly did not act. `doubt`: the request left, and nothing is known of it. `refused`: it answered that
 * it will not.
 */
export type ManagerAnswer<Value> = { kind: 'done'; value: Value } | { kind: 'away' | 'doubt' | 'refused' }

export type WantedSilence = {
  matchers: readonly (readonly [name: string, value: string])[]
  startMs: number
  untilMs: number
  by: string
  comment: string
  /** At the end of the comment: the same for every try. */
  tag: string
}

type Tagged = Pick<WantedSilence, 'matchers' | 'tag'>
export type KnownAlert = Readonly<Record<string, unknown>>
type JsonAnswer = { status: number; json: unknown }
type ApiRequest = { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: object }

export class Alertmanager {
  readonly #urls: readonly string[]
  readonly #token: string | undefined
  readonly #clock: Clock
  readonly #stop = new AbortController()
  readonly #agents: { http: Agent; https: Agent }

  constructor({ urls, token }: AlertmanagerSettings, clock: Clock) {
    this.#urls = urls
    this.#token = token
    this.#clock = clock
    const kept = { keepAlive: false, maxSockets: limits.addressesMax }
    this.#agents = { http: new http.Agent(kept), https: new https.Agent(kept) }
  }

  close(): void {
    this.#stop.abort()
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  /** Creates it once: a silence with the same tag is the one of an earlier try. Returns its id. */
  async silence(wanted: WantedSilence): Promise<ManagerAnswer<string>> {
    for (const url of this.#urls) {
      // An address that does not answer this question would not answer the next one: nothing is in doubt yet.
      const earlier = await this.#find(url, wanted)
      if (earlier.kind === 'refused') return { kind: 'refused' }
      if (earlier.kind !== 'done') continue
      if (earlier.value !== undefined) return { kind: 'done', value: earlier.value }
      const made = await this.#create(url, wanted)
      if (made.kind !== 'away') return made
    }
    return { kind: 'away' }
  }

  /** The silence of an earlier try, if there is one. */
  async find(wanted: Tagged): Promise<ManagerAnswer<string | undefined>> {
    return await this.#first(url => this.#find(url, wanted))
  }

  async endSilence(id: string): Promise<ManagerAnswer<void>> {
    return await this.#first(url => this.#end(url, id))
  }

  /** Those of other tries, which it carried out late. */
  async endDoubles(wanted: Tagged, id: string): Promise<ManagerAnswer<void>> {
    return await this.#first(async url => {
      const found = await this.#findAll(url, wanted)
      if (found.kind !== 'done') return found
      for (const double of found.value.filter(other => other !== id)) {
        const ended = await this.#end(url, double)
        if (ended.kind !== 'done') return ended
      }
      return { kind: 'done', value: undefined }
    })
  }

  /** Whether it still silences. */
  async isActive(id: string): Promise<ManagerAnswer<boolean>> {
    return await this.#first(async url => {
      const answer = await this.#ask(url, { method: 'GET', path: `/silence/${encodeURIComponent(id)}` })
      if (answer.kind === 'refused') return { kind: 'done', value: false }
      return answer.kind === 'done' ? { kind: 'done', value: stateOf(answer.value.json) !== 'expired' } : answer
    })
  }

  /** Those that fire and have these labels, silenced or not. */
  async alerts(matchers: WantedSilence['matchers']): Promise<ManagerAnswer<KnownAlert[]>> {
    const query = new URLSearchParams([
      ['silenced', 'true'],
      ['inhibited', 'true'],
      ['active', 'true'],
    ])
    for (const matcher of matchers) query.append('filter', filterOf(matcher))
    return await this.#first(async url => listOf(await this.#ask(url, { method: 'GET', path: `/alerts?${query}` })))
  }

  async #find(url: string, wanted: Tagged): Promise<ManagerAnswer<string | undefined>> {
    const found = await this.#findAll(url, wanted)
    return found.kind === 'done' ? { kind: 'done', value: found.value[0] } : found
  }

  async #findAll(url: string, { matchers, tag }: Tagged): Promise<ManagerAnswer<string[]>> {
    const query = new URLSearchParams(matchers.map(matcher => ['filter', filterOf(matcher)]))
    const found = listOf(await this.#ask(url, { method: 'GET', path: `/silences?${query}` }))
    if (found.kind !== 'done') return found
    const own = found.value.filter(silence => hasTag(silence, tag) && stateOf(silence) !== 'expired')
    return { kind: 'done', value: own.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])) }
  }

  /** Ending one that is over, or unknown, is no failure. */
  async #end(url: string, id: string): Promise<ManagerAnswer<void>> {
    const answer = await this.#ask(url, { method: 'DELETE', path: `/silence/${encodeURIComponent(id)}` })
    return answer.kind === 'done' || answer.kind === 'refused' ? { kind: 'done', value: undefined } : answer
  }

  async #create(
    url: string,
    { matchers, startMs, untilMs, by, comment, tag }: WantedSilence,
  ): Promise<ManagerAnswer<string>> {
    const body = {
      matchers: matchers.map(([name, value]) => ({ name, value, isRegex: false, isEqual: true })),
      startsAt: new Date(startMs).toISOString(),
      endsAt: new Date(untilMs).toISOString(),
      createdBy: by,
      comment: comment + tag,
    }
    const answer = await this.#ask(url, { method: 'POST', path: '/silences', body })
    if (answer.kind !== 'done') return answer
    const id = (answer.value.json as { silenceID?: unknown } | null)?.silenceID
    return typeof id === 'string' && id.length <= 64 ? { kind: 'done', value: id } : { kind: 'doubt' }
  }

  async #first<Value>(ask: (url: string) => Promise<ManagerAnswer<Value>>): Promise<ManagerAnswer<Value>> {
    for (const url of this.#urls) {
      const answer = await ask(url)
      if (answer.kind === 'done' || answer.kind === 'refused') return answer
    }
    return { kind: 'away' }
  }

  async #ask(url: string, { method, path, body }: ApiRequest): Promise<ManagerAnswer<JsonAnswer>> {
    const target = new URL(`${url.replace(/\/+$/, '')}/api/v2${path}`)
    const isSecure = target.protocol === 'https:'
    const json = body && JSON.stringify(body)
    const request = (isSecure ? https : http).request({
      ...urlToHttpOptions(target),
      method,
      agent: isSecure ? this.#agents.https : this.#agents.http,
      headers: {
        'user-agent': 'Postern',
        accept: 'application/json',
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...(json !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
      },
    })
    const asked = askedOf(request, { clock: this.#clock, stop: this.#stop.signal })
    request.end(json)
    return await asked
  }
}

/** One deadline for the whole answer; a redirect is a refusal. */
function askedOf(
  request: ClientRequest,
  { clock, stop }: { clock: Clock; stop: AbortSignal },
): Promise<ManagerAnswer<JsonAnswer>> {
  const wait = new Deferred<ManagerAnswer<JsonAnswer>>()
  let isConnected = false
  wait.after(clock, limits.answerWithinMs, () => wait.resolve({ kind: isConnected ? 'doubt' : 'away' }))
  wait.onAbort(stop, () => wait.resolve({ kind: isConnected ? 'doubt' : 'away' }))
  wait.onSettled(() => request.destroy())
  request.on('socket', socket => socket.once('connect', () => (isConnected = true)))
  let isAnswered = false
  request.on('response', response => {
    isAnswered = true
    wait.settleWith(readAnswer(response))
  })
  const cut = () => wait.resolve({ kind: isConnected ? 'doubt' : 'away' })
  request.on('error', () => !isAnswered && cut())
  // Closed without an answer and without an error, for example after an answer that is not HTTP.
  request.on('close', () => !isAnswered && cut())
  return wait.promise
}

async function readAnswer(response: IncomingMessage): Promise<ManagerAnswer<JsonAnswer>> {
  const status = response.statusCode ?? 0
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limits.answerBytesMax) return { kind: 'doubt' }
      chunks.push(chunk)
    }
    if (status >= 500) return { kind: 'doubt' }
    if (status < 200 || status >= 300) return { kind: 'refused' }
    const text = Buffer.concat(chunks).toString()
    return { kind: 'done', value: { status, json: text === '' ? null : (JSON.parse(text) as unknown) } }
  } catch {
    return { kind: 'doubt' }
  }
}

function listOf(answer: ManagerAnswer<JsonAnswer>): ManagerAnswer<KnownAlert[]> {
  if (answer.kind !== 'done') return answer
  const { json } = answer.value
  if (!Array.isArray(json)) return { kind: 'doubt' }
  return { kind: 'done', value: json.filter((it): it is KnownAlert => typeof it === 'object' && it !== null) }
}

const hasTag = ({ comment }: KnownAlert, tag: string): boolean => typeof comment === 'string' && comment.endsWith(tag)

const stateOf = (silence: unknown): unknown => (silence as { status?: { state?: unknown } } | null)?.status?.state

const filterOf = ([name, value]: readonly [string, string]): string =>
  `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
