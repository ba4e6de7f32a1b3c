// An operator who reads updates by long polls, and confirms as they go.
import { HttpApi } from './http-api.ts'

const LIMIT = 100

type Update = { id: number; type: string }

export class UpdateReader {
  readonly #api: HttpApi
  #offset = 0

  constructor(server: { url: string; token: string }) {
    this.#api = new HttpApi(server)
  }

  /** Resolves when so many of a type have come, with the bytes of all that came meanwhile. */
  async take(type: string, count: number): Promise<number> {
    let bytes = 0
    for (let left = count; left > 0; ) {
      const page = await this.#api.call('GET', `/v1/updates?offset=${this.#offset}&limit=${LIMIT}&timeout=30`)
      const updates = JSON.parse(page) as Update[]
      this.#offset = (updates.at(-1)?.id ?? this.#offset - 1) + 1
      left -= updates.filter(update => update.type === type).length
      bytes += page.length
    }
    return bytes
  }

  close(): void {
    this.#api.close()
  }
}
