// Passes each line of an agent to the gateway as a request, and the answers back as lines.
import type { Readable } from 'node:stream'
import { CodedError, cleanLine, inBackground, Notifier, personLimits } from '@postern/protocol'
import type { LineOutput } from '../person/line-output.ts'
import { readLines } from '../person/read-lines.ts'
import type { BridgeSettings } from './mcp-settings.ts'

type RpcId = string | number
type Rpc = { id?: unknown; method?: unknown; params?: { requestId?: unknown; name?: unknown; _meta?: object } }

export type BridgeParts = {
  output: Pick<LineOutput, 'write'>
  /** A line for the person who set it up. */
  warn: (line: string) => void
  until: AbortSignal
}

const PARSE_ERROR = -32_700
const UNREACHABLE = -32_000
const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion'
const headerValue = /^[\x21-\x7e]+$/

export class McpBridge {
  readonly #settings: BridgeSettings
  readonly #parts: BridgeParts
  readonly #inFlight = new Set<AbortController>()
  readonly #requests = new Map<RpcId, AbortController>()
  readonly #freed = new Notifier()
  /** As the gateway chose it; later requests of an agent with `initialize` name it in a header. */
  #version: string | undefined

  constructor(settings: BridgeSettings, parts: BridgeParts) {
    this.#settings = settings
    this.#parts = parts
  }

  /** Until the input ends: then nobody reads the answers that are still missing. */
  async passAll(input: Readable, limit: { bytesMax: number }): Promise<void> {
    try {
      for await (const line of readLines(input, limit)) {
        if (line.kind === 'too-long') await this.#fail(null, { code: PARSE_ERROR, message: 'The line is too long.' })
        else if (line.text.trim() !== '') await this.#take(line.text)
      }
    } catch (error) {
      if (!this.#parts.until.aborted) throw error
    } finally {
      for (const each of this.#inFlight) each.abort(new CodedError('stopping'))
    }
  }

  async #take(text: string): Promise<void> {
    const rpc: Rpc | undefined = parsed(text)
    if (!rpc) return await this.#fail(null, { code: PARSE_ERROR, message: 'The line is not a JSON object.' })
    while (this.#inFlight.size >= personLimits.commandsInFlightMax) await this.#freed.next()
    const request = new AbortController()
    const id = idOf(rpc)
    this.#inFlight.add(request)
    if (id !== undefined) this.#requests.set(id, request)
    if (rpc.method === 'notifications/cancelled') this.#requests.get(rpc.params?.requestId as RpcId)?.abort()
    const passing = this.#pass(text, { rpc, id, signal: request.signal }).finally(() => {
      this.#inFlight.delete(request)
      if (id !== undefined && this.#requests.get(id) === request) this.#requests.delete(id)
      this.#freed.notify()
    })
    const log = {
      warn: (_: object, what: string) => this.#parts.warn(what),
      error: (_: object, what: string) => this.#parts.warn(what),
    }
    inBackground(passing, { what: 'postern mcp: a request was not passed on', log })
    // An agent waits for it before it sends more, and its answer names the version of the others.
    if (rpc.method === 'initialize') await passing.catch(() => undefined)
  }

  async #pass(
    body: string,
    { rpc, id, signal }: { rpc: Rpc; id: RpcId | undefined; signal: AbortSignal },
  ): Promise<void> {
    try {
      const answer = await fetch(this.#settings.url, {
        method: 'POST',
        headers: this.#headersFor(rpc),
        body,
        signal,
        redirect: 'error',
      })
      const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
      if (isEvents) for await (const message of eventsIn(answer)) await this.#answer(message)
      else await this.#answerWhole(await answer.text(), { answer, id })
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      const message = `The gateway cannot be reached at ${this.#settings.url}.`
      this.#parts.warn(`postern mcp: ${cleanLine(`${message} ${reason}`)}`)
      if (id !== undefined) await this.#fail(id, { code: UNREACHABLE, message })
    }
  }

  async #answerWhole(text: string, { answer, id }: { answer: Response; id: RpcId | undefined }): Promise<void> {
    const value = parsed(text)
    if (value !== undefined && 'jsonrpc' in value) return await this.#answer(text)
    if (answer.ok) return
    // The gateway's own refusals, such as a wrong token, are not in the agent's protocol.
    const reason = value !== undefined && 'error' in value ? String(value.error) : `status ${answer.status}`
    this.#parts.warn(`postern mcp: ${cleanLine(reason)}`)
    if (id !== undefined) await this.#fail(id, { code: UNREACHABLE, message: reason })
  }

  async #answer(text: string): Promise<void> {
    const value = parsed(text)
    if (value === undefined) return
    const { result } = value as { result?: { protocolVersion?: unknown } }
    if (typeof result?.protocolVersion === 'string') this.#version = result.protocolVersion
    // In one line, whatever the gateway sent.
    await this.#parts.output.write(JSON.stringify(value))
  }

  async #fail(id: RpcId | null, error: { code: number; message: string }): Promise<void> {
    await this.#parts.output.write(JSON.stringify({ jsonrpc: '2.0', id, error }))
  }

  /** In the stateless revision, a header repeats what is in the body. */
  #headersFor({ method, params }: Rpc): Record<string, string> {
    const own = (params?._meta as Record<string, unknown> | undefined)?.[VERSION_FIELD]
    const repeated = {
      'mcp-protocol-version': own ?? this.#version,
      ...(own !== undefined && { 'mcp-method': method, 'mcp-name': params?.name }),
    }
    const fitting = Object.entries(repeated).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && headerValue.test(entry[1]),
    )
    return {
      authorization: `Bearer ${this.#settings.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...Object.fromEntries(fitting),
    }
  }
}

const idOf = (rpc: Rpc): RpcId | undefined =>
  typeof rpc.id === 'string' || typeof rpc.id === 'number' ? rpc.id : undefined

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The data of each event of a stream. */
async function* eventsIn({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  let rest = ''
  let data: string[] = []
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).trimStart())
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
}
