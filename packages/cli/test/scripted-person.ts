// A `postern person` process that a test talks to in JSON lines.
import { Postern } from './process.ts'

type Line = Record<string, unknown> & { id?: unknown; event?: string; ok?: unknown; error?: string; code?: string }

export class ScriptedPerson implements AsyncDisposable {
  readonly #postern: Postern
  readonly lines: Line[] = []
  readonly #waiting = new Set<() => void>()
  readonly #ended: Promise<void>
  #lastId = 0

  constructor(args: readonly string[], { env, ...started }: { launcher?: string; env?: Record<string, string> } = {}) {
    this.#postern = new Postern(['person', ...args], env, started)
    this.#ended = this.#follow()
  }

  async #follow(): Promise<void> {
    for await (const text of this.#postern.lines) {
      this.lines.push(JSON.parse(text) as Line)
      for (const look of this.#waiting) look()
    }
    for (const look of this.#waiting) look()
  }

  async line(is: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(is)
      if (found) return found
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      await promise
      this.#waiting.delete(resolve)
    }
  }

  async ready(): Promise<{ id: string; name: string }> {
    return (await this.line(line => line.event === 'ready'))['me'] as { id: string; name: string }
  }

  /** The answer to a command, even if it is an error. */
  async ask(command: string, fields: object = {}): Promise<Line> {
    const id = ++this.#lastId
    this.write(JSON.stringify({ id, do: command, ...fields }))
    return await this.line(line => line.id === id)
  }

  async do(command: string, fields: object = {}): Promise<Record<string, unknown>> {
    const { ok, error } = await this.ask(command, fields)
    if (error !== undefined) throw new Error(`${command}: ${error}`)
    return ok as Record<string, unknown>
  }

  messages(): { text?: string; id: string }[] {
    return this.lines.filter(line => line.event === 'message').map(line => line['message'] as { id: string })
  }

  write(line: string): void {
    this.#postern.write(`${line}\n`)
  }

  async end(how: 'input' | NodeJS.Signals): Promise<number | null> {
    if (how === 'input') this.#postern.endInput()
    else this.#postern.signal(how)
    const code = await this.#postern.exited
    await this.#ended
    return code
  }

  get stderr(): string {
    return this.#postern.stderr
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#postern[Symbol.asyncDispose]()
  }
}
