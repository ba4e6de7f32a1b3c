// An operator who reads updates by long polls, and confirms as they go.
import { HttpApi } from './http-api.ts'

const LIMIT = 100

export type Update = { id: number; type: string; message?: ReadMessage }
export type ReadMessage = { id: string; poll?: { options: { voters: { id: string }[] }[] } }
/** The totals until then. */
export type Taken = { updates: number; bytes: number }

export class UpdateReader {
  readonly #api: HttpApi
  #offset = 0

  constructor(server: { url: string; token: string }) {
    this.#api = new HttpApi(server)
  }

  /** Resolves when the last expected update has arrived. */
  async takeUntil(isLast: (update: Update) => boolean): Promise<Taken> {
    const taken: Taken = { updates: 0, bytes: 0 }
    for (let isOver = false; !isOver; ) {
      const page = await this.#api.call('GET', `/v1/updates?offset=${this.#offset}&limit=${LIMIT}&timeout=30`)
      const updates = JSON.parse(page) as Update[]
      this.#offset = (updates.at(-1)?.id ?? this.#offset - 1) + 1
      for (const update of updates) isOver = isLast(update) || isOver
      taken.updates += updates.length
      taken.bytes += page.length
    }
    return taken
  }

  close(): void {
    this.#api.close()
  }
}
