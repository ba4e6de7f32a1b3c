// The way from one relay to its database, on which a test holds back what the server says: on one connection, not on the others.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

type Line = { near: Socket; far: Socket; isListening: boolean; held: Uint8Array[] | undefined }
type Due = { words: string; does: (line: Line) => void }

/** `answered`: the server has done what it was asked, and nobody at the relay knows. `lose`: nor will it, by this connection. */
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

  /** As the relay is given it. */
  get address(): string {
    const url = new URL(this.#database)
    url.port = String((this.#server.address() as AddressInfo).port)
    return url.href
  }

  /** Settles when the server has told this to who listens; nothing for a word, when there is somebody who does. */
  told(words = ''): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(this.#told, { words, hear: resolve })
    return promise
  }

  /** The answer to the next statement that is asked with this word. */
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

  /** The connection on which that is asked next: before it arrives. Settles then. */
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

  /** What other relays tell is not heard any more, and nothing says so. */
  deafen(): void {
    this.#isDeaf = true
    for (const line of this.#lines) if (line.isListening) line.held ??= []
  }

  /** The connection that hears nothing is lost, and the next one hears. */
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
