// Relay, gateway and people as separate processes: to be killed at any moment and restarted on the same data.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Deferred } from '@postern/protocol'

const LAUNCHER = join(import.meta.dirname, '../../cli/bin/postern.mjs')
/** The end of a process's standard error in a long run. */
const STDERR_CHARS_MAX = 100_000

/** The environment of a life: flags of Node, and variables besides those that the part itself needs. */
export type LifeSettings = { nodeFlags?: readonly string[]; env?: Readonly<Record<string, string>> }

export abstract class Killable {
  #child: ChildProcessWithoutNullStreams | undefined
  #closed: Promise<unknown> = Promise.resolve()
  #stderr = ''
  #isUp = false
  #isOver = false
  /** Set when it ended without being killed. */
  crash: string | undefined
  /** For future lives. */
  life: LifeSettings = {}
  /** Called with every line of standard output, before anybody else. */
  onLine: (line: string) => void = () => undefined
  /** Called with the value of `crash` when it ended without being killed. */
  onCrash: (crash: string) => void = () => undefined

  protected abstract command(): { args: string[]; env?: Record<string, string> }
  protected abstract readLine(line: string): void
  protected ended(): void {}

  start(): void {
    if (this.#isOver) return
    const { args, env } = this.command()
    const { nodeFlags = [], env: added } = this.life
    const child = spawn(process.execPath, [...nodeFlags, LAUNCHER, ...args], {
      env: { PATH: process.env['PATH'], ...env, ...added },
    })
    this.#child = child
    this.#isUp = false
    this.#closed = once(child, 'close')
    createInterface({ input: child.stdout }).on('line', line => {
      this.onLine(line)
      this.readLine(line)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS_MAX)
    })
    // A line may be on its way to a process that has already ended.
    child.stdin.on('error', () => undefined)
    child.on('close', (code, signal) => {
      if (this.#child === child) {
        this.#child = undefined
        this.crash = `${args[0]} ended by itself with ${code ?? signal}: ${this.#stderr.slice(-2000)}`
        this.onCrash(this.crash)
      }
      this.ended()
    })
  }

  /** Whether the present life has reported that it is up. */
  get isUp(): boolean {
    return this.#isUp
  }

  protected nowUp(): void {
    this.#isUp = true
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    this.#isUp = false
    child?.kill('SIGKILL')
    await this.#closed
  }

  /** Kills it for good: a restart that is under way when a test ends starts nothing. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.kill()
  }

  /** Stands still, with its connections open, until it is released. */
  hold(): void {
    this.#child?.kill('SIGSTOP')
  }

  letGo(): void {
    this.#child?.kill('SIGCONT')
  }

  protected write(line: string): void {
    this.#child?.stdin.write(`${line}\n`)
  }

  /** Its standard error in all its lives. */
  get stderr(): string {
    return this.#stderr
  }
}

/** Undefined for a line that a kill truncated. */
function wholeLine<Content>(line: string): Content | undefined {
  try {
    return JSON.parse(line) as Content
  } catch {
    return undefined
  }
}

type Place = { directory: string; port: number }

/** Listens on the same port in all its lives. */
abstract class Listening extends Killable {
  readonly directory: string
  protected readonly port: number
  #listening = new Deferred()

  constructor({ directory, port }: Place) {
    super()
    this.directory = directory
    this.port = port
  }

  override start(): void {
    this.#listening = new Deferred()
    super.start()
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** In its present life. */
  async listening(): Promise<this> {
    await this.#listening.promise
    return this
  }

  protected override readLine(line: string): void {
    if (wholeLine<{ url?: string }>(line)?.url === undefined) return
    this.nowUp()
    this.#listening.resolve()
  }
}

export class RelayProcess extends Listening {
  readonly #options: readonly string[]

  constructor(place: Place, options: readonly string[] = []) {
    super(place)
    this.#options = options
  }

  protected override command() {
    return { args: ['relay', '--listen', `127.0.0.1:${this.port}`, '--data', this.directory, ...this.#options] }
  }
}

export class GatewayProcess extends Listening {
  readonly token = 'kill-test-token'
  readonly #relayUrl: string

  constructor(place: Place, relayUrl: string) {
    super(place)
    this.#relayUrl = relayUrl
  }

  protected override command() {
    const env = {
      BOT_TOKEN: this.token,
      BOT_NAME: 'echo',
      RELAY_URL: this.#relayUrl,
      LISTEN: `127.0.0.1:${this.port}`,
      DATA_DIR: this.directory,
    }
    return { args: ['gateway'], env }
  }
}

/** The web app on this machine, for a relay elsewhere. */
export class OwnAppProcess extends Killable {
  readonly #args: readonly string[]
  readonly #opened = new Deferred<string>()

  constructor({ relay, port }: { relay: string; port: number }) {
    super()
    this.#args = ['app', '--relay', relay, '--port', String(port)]
  }

  /** The printed address. */
  async url(): Promise<string> {
    return await this.#opened.promise
  }

  protected override command() {
    return { args: [...this.#args] }
  }

  protected override readLine(line: string): void {
    const [, url] = /^Open (\S+) /.exec(line) ?? []
    if (url !== undefined) this.#opened.resolve(url)
  }

  protected override ended(): void {
    if (this.crash !== undefined) this.#opened.reject(new Error(this.crash))
  }
}

type Line = { id?: number; event?: string; ok?: unknown; error?: string; code?: string; me?: { id: string } }
/** An event from a line: it has more fields than these, depending on its kind. */
export type PersonEvent = {
  event: string
  chat_id: string
  message?: { id: string }
  toast?: { press_id: string; text: string }
}
/** `in-doubt`: the process ended before it answered. */
export type PersonAnswer =
  | { kind: 'ok'; ok: unknown }
  | { kind: 'error'; error: string; code: string }
  | { kind: 'in-doubt' }

export class PersonProcess extends Killable {
  readonly name: string
  readonly directory: string
  readonly #relayUrl: string
  readonly #waiting = new Map<number, Deferred<PersonAnswer>>()
  #ready = new Deferred<string>()
  #isReady = false
  #lastId = 0
  /** The texts of every message event, in the order of the lines. */
  readonly heard: string[] = []
  onEvent: (event: PersonEvent) => void = () => undefined

  constructor(name: string, place: { directory: string; relayUrl: string }) {
    super()
    this.name = name
    this.directory = place.directory
    this.#relayUrl = place.relayUrl
  }

  protected override command() {
    return { args: ['person', '--relay', this.#relayUrl, '--data', this.directory, '--name', this.name] }
  }

  /** The account id, once it is online. */
  async ready(): Promise<string> {
    return await this.#ready.promise
  }

  async ask(command: string, fields: object = {}): Promise<PersonAnswer> {
    const id = ++this.#lastId
    const answered = new Deferred<PersonAnswer>()
    this.#waiting.set(id, answered)
    this.write(JSON.stringify({ id, do: command, ...fields }))
    return await answered.promise
  }

  async do<Ok>(command: string, fields: object = {}): Promise<Ok> {
    const answer = await this.ask(command, fields)
    if (answer.kind !== 'ok') throw new Error(`${this.name}: ${command}: ${JSON.stringify(answer)} ${this.stderr}`)
    return answer.ok as Ok
  }

  protected override readLine(text: string): void {
    const line = wholeLine<Line & PersonEvent>(text)
    if (!line) return
    const { id, event, ok, error, code = '', message, me } = line
    if (event === 'ready' && me) {
      this.nowUp()
      this.#isReady = true
      this.#ready.resolve(me.id)
    }
    if (event === 'message' && message) this.heard.push(message.id)
    if (event !== undefined && event !== 'ready') this.onEvent(line)
    if (id === undefined) return
    this.#waiting.get(id)?.resolve(error === undefined ? { kind: 'ok', ok } : { kind: 'error', error, code })
    this.#waiting.delete(id)
  }

  protected override ended(): void {
    // Killed before it was ready: callers wait for the next life, unless there is none.
    if (this.crash !== undefined) this.#ready.reject(new Error(this.crash))
    if (this.#isReady) this.#ready = new Deferred()
    this.#isReady = false
    for (const answered of this.#waiting.values()) answered.resolve({ kind: 'in-doubt' })
    this.#waiting.clear()
  }
}
