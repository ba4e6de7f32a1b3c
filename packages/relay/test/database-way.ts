// The connection from one relay to its database: a test can hold back the server's answers on a single connection.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

type Line = { near: Socket; far: Socket; isListening: boolean; held: Uint8Array[] | undefined }
type Due = { words: string; does: (line: Line) => void }

/**
 * `answered`: the server has executed the request, and the relay does not know.
 * `lose`: it never will on this connection.
 */
export type HeldAnswer = { answered: Promise<void>; letGo: () => void; lose: () => void }

export class DatabaseWay {
  readonly #server: Server
  readonly #database: URL
  readonly #lines = new Set<Line>()
  #isDeaf = false
  #due: Due | undefined
  #onHeld: () => void = () => {}
  readonly #told = { words: '', hear: () => {} }

  private constructor(database: string) {
    this.#database = new URL(database)
    this.#server = createServer(near => this.#accept(near))
  }

  static async to(database: string): Promise<DatabaseWay> {
    const way = new DatabaseWay(database)
    way.#server.listen(0, '127.0.0.1')
    await once(way.#server, 'listening')
    onTestFinished(() => {
      way.#server.close()
      for (const line of way.#lines) end(line)
    })
    return way
  }

  /** The address for the relay. */
  get address(): string {
    const url = new URL(this.#database)
    url.port = String((this.#server.address() as AddressInfo).port)
    return url.href
  }

  /** Settles when the server has sent this notification to a listener; without words, when there is a listener. */
  told(words = ''): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(this.#told, { words, hear: resolve })
    return promise
  }

  /** Holds the answer to the next statement that contains this word. */
  hold(word: string): HeldAnswer {
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    let held: Line | undefined
    this.#onHeld = resolve
    this.#due = {
      words: word,
      does: line => {
        held = line
        line.held ??= []
      },
    }
    return { answered, letGo: () => held && pass(held), lose: () => held && end(held) }
  }

  /** Cuts the connection of the next request with this word, before it arrives. Settles then. */
  cutAt(word: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#due = {
      words: word,
      does: line => {
        end(line)
        resolve()
      },
    }
    return promise
  }

  /** Notifications from other relays no longer arrive, and nothing reports that. */
  deafen(): void {
    this.#isDeaf = true
    for (const line of this.#lines) if (line.isListening) line.held ??= []
  }

  /** The connection without notifications is lost, and the next one receives them. */
  loseHearing(): void {
    this.#isDeaf = false
    for (const line of this.#lines) if (line.isListening) end(line)
  }

  #accept(near: Socket): void {
    const far = connect(Number(this.#database.port), this.#database.hostname)
    const line: Line = { near, far, isListening: false, held: undefined }
    this.#lines.add(line)
    const over = (): void => {
      this.#lines.delete(line)
      end(line)
    }
    for (const socket of [near, far]) socket.on('error', over).on('close', over)
    near.on('data', bytes => this.#asked(line, bytes))
    far.on('data', bytes => this.#said(line, bytes))
  }

  #asked(line: Line, bytes: Buffer): void {
    if (bytes.includes('LISTEN ')) {
      line.isListening = true
      if (this.#isDeaf) line.held ??= []
    }
    const due = this.#due && bytes.includes(this.#due.words) ? this.#due : undefined
    if (due) this.#due = undefined
    due?.does(line)
    if (!line.far.destroyed) line.far.write(bytes)
  }

  #said(line: Line, bytes: Buffer): void {
    if (line.held) line.held.push(bytes)
    else line.near.write(bytes)
    if (line.isListening && bytes.includes(this.#told.words)) this.#told.hear()
    if (line.held && !line.isListening) this.#onHeld()
  }
}

function pass(line: Line): void {
  for (const bytes of line.held ?? []) line.near.write(bytes)
  line.held = undefined
}

const end = ({ near, far }: Line): void => void [near, far].map(socket => socket.destroy())
