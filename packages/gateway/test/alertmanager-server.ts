// A small HTTP server that answers as Alertmanager's API v2 does: silences and alerts, and faults when a test wants them.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type TestSilence = {
  id: string
  matchers: { name: string; value: string; isRegex: boolean; isEqual: boolean }[]
  startsAt: string
  endsAt: string
  createdBy: string
  comment: string
  status: { state: 'active' | 'expired' }
}

type TestAlert = { fingerprint: string; labels: Record<string, string> }

/** `hangs`: accepts and never answers. `acts and hangs`: a silence is made, and nobody learns of it. */
export type ServerMood = 'answers' | 'hangs' | 'acts and hangs' | 'fails' | 'refuses' | 'redirects' | 'floods' | 'raves'

/** `came`: it was read. `done`: it was carried out, and nobody knows yet. `answered`: the answer has left. */
export type RequestStep = `${string} ${'came' | 'done' | 'answered'}`

export class AlertmanagerServer {
  readonly #server: Server
  readonly silences: TestSilence[] = []
  readonly requests: { method: string; path: string; token: string | undefined }[] = []
  alerts: TestAlert[] = []
  mood: ServerMood = 'answers'
  /** The mood for requests that create a silence alone. */
  moodOfPosts: ServerMood | undefined
  /** Called and awaited at each step of each request, for tests that kill the caller there. */
  atStep: (step: RequestStep) => Promise<void> | void = () => undefined

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  static async start(): Promise<AlertmanagerServer> {
    const made = new AlertmanagerServer()
    made.#server.listen(0, '127.0.0.1')
    await once(made.#server, 'listening')
    return made
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  count(method: string): number {
    return this.requests.filter(request => request.method === method).length
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const { pathname, searchParams } = new URL(url, this.url)
    this.requests.push({ method, path: pathname, token: request.headers.authorization })
    const mood = (method === 'POST' ? this.moodOfPosts : undefined) ?? this.mood
    let text = ''
    for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString()
    await this.atStep(`${method} came`)
    switch (mood) {
      case 'hangs':
        return
      case 'acts and hangs':
        this.#act(method, pathname, text)
        return
      case 'fails':
        return void response.writeHead(500).end('{"message":"out of order"}')
      case 'refuses':
        return void response.writeHead(422).end('{"message":"no"}')
      case 'redirects':
        return void response.writeHead(302, { location: `${this.url}/elsewhere` }).end()
      case 'floods':
        return void response.writeHead(200).end(' '.repeat(9 * 1_048_576))
      case 'raves':
        return void response.writeHead(200).end('<html>')
      case 'answers':
        return await this.#reply(response, { method, pathname, text, filters: searchParams.getAll('filter') })
    }
  }

  #act(method: string, pathname: string, text: string): { status: number; json: unknown } {
    const id = pathname.split('/').at(-1) ?? ''
    const known = this.silences.find(silence => silence.id === id)
    if (method === 'POST') {
      const made = { ...(JSON.parse(text) as Omit<TestSilence, 'id' | 'status'>), id: randomUUID() }
      this.silences.push({ ...made, status: { state: 'active' } })
      return { status: 200, json: { silenceID: made.id } }
    }
    if (!known) return { status: 404, json: 'not found' }
    if (method === 'DELETE') known.status.state = 'expired'
    return { status: 200, json: known }
  }

  async #reply(
    response: ServerResponse,
    asked: { method: string; pathname: string; text: string; filters: string[] },
  ): Promise<void> {
    const { method, pathname, text, filters } = asked
    const lists: Record<string, () => unknown> = {
      '/api/v2/silences': () => this.silences,
      '/api/v2/alerts': () =>
        this.alerts.filter(({ labels }) =>
          filters.every(filter => {
            const [, name = '', value = ''] = /^(\w+)="(.*)"$/s.exec(filter) ?? []
            return labels[name] === value.replaceAll('\\"', '"').replaceAll('\\\\', '\\')
          }),
        ),
    }
    const list = method === 'GET' ? lists[pathname] : undefined
    const { status, json } = list ? { status: 200, json: list() } : this.#act(method, pathname, text)
    await this.atStep(`${method} done`)
    response.writeHead(status, { 'content-type': 'application/json' })
    await new Promise<void>(resolve => response.end(JSON.stringify(json), resolve))
    await this.atStep(`${method} answered`)
  }
}
