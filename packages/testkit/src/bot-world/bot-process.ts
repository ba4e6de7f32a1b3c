// A bot as a process, in any language: its calls come to a server in this process, which passes them on to the gateway.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inBackground } from '@postern/protocol'
import { testLog } from '../test-log.ts'
import { BotCalls } from './bot-calls.ts'
import type { BotDestination, BotLife } from './bot-life.ts'

export type BotExecutable = {
  command: string
  args?: readonly string[]
  cwd?: string
  /** Besides POSTERN_URL and POSTERN_TOKEN (also as BOT_TOKEN), which are of its gateway, and PATH and HOME of this process. */
  env?: Readonly<Record<string, string>>
}

const STDERR_CHARS_MAX = 10_000
/** Between two connections, and of the body that this process has already read. */
const OF_THE_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'host',
])

/** @internal */
export class BotProcess implements BotLife {
  readonly #command: BotExecutable
  readonly #destination: BotDestination
  readonly #calls: BotCalls
  readonly #server = createServer((request, response) => this.#answer(request, response))
  #child: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #stderr = ''
  #isStopping = false

  constructor(command: BotExecutable, destination: BotDestination) {
    this.#command = command
    this.#destination = destination
    this.#calls = new BotCalls(destination)
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const { command, args = [], cwd, env } = this.#command
    const { PATH = '', HOME = '' } = process.env
    const { token } = this.#destination
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    const child = spawn(command, [...args], {
      cwd,
      env: { PATH, HOME, ...env, POSTERN_URL: url, POSTERN_TOKEN: token, BOT_TOKEN: token },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS_MAX)
    })
    const ended = once(child, 'close').then(([code, signal]) => this.#whenEnded(code ?? signal))
    this.#ended = ended.catch((error: unknown) => this.#destination.failed(error))
    await this.#calls.whenPolled(ended)
  }

  #whenEnded(result: unknown): void {
    this.#server.close()
    this.#server.closeAllConnections()
    if (this.#isStopping) return
    throw new Error(`the bot ended with ${String(result)}: ${this.#stderr}`)
  }

  async kill(): Promise<void> {
    this.#calls.end()
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
    this.#calls.end()
  }

  get isAtRest(): boolean {
    return this.#calls.isAtRest
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#isStopping = true
    this.#child?.kill(signal)
    await this.#ended
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const carried = this.#carry(request, response).catch((error: unknown) => {
      // As from a proxy whose gateway is away: the bot repeats the call.
      if (response.headersSent) response.destroy()
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(String(error))
    })
    inBackground(carried, { what: 'call of a bot', log: testLog('bot') })
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const target = new URL(url, this.#destination.url)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const { authorization = null } = request.headers
    const answer = await this.#calls.pass({ method, path: target.pathname, authorization }, life =>
      fetch(target, {
        method,
        headers: headersOf(request),
        ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
        signal: AbortSignal.any([life, gone.signal]),
      }),
    )
    const headers = [...answer.headers].filter(([name]) => !OF_THE_HOP.has(name))
    response.writeHead(answer.status, Object.fromEntries(headers))
    if (answer.body) await pipeline(Readable.fromWeb(answer.body as never), response)
    else response.end()
  }
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || OF_THE_HOP.has(name) ? [] : [[name, String(value)] as [string, string]],
  )
}
