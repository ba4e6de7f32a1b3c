// Writes whole lines of JSON to standard output, and knows when they have left the process.
import type { Writable } from 'node:stream'
import { CodedError, Deferred } from '@postern/protocol'
import { escapeJson } from '../json-line.ts'

export class LineOutput {
  readonly #stream: Writable
  readonly #closed = new AbortController()
  /** Aborted when nobody reads the lines any more. */
  readonly closed = this.#closed.signal

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('error', () => this.#closed.abort(new CodedError('stopping')))
  }

  /** `lost`: nobody reads any more. */
  async write(...lines: string[]): Promise<'written' | 'lost'> {
    const left = new Deferred<'written' | 'lost'>()
    this.#stream.write(lines.map(line => `${escapeJson(line)}\n`).join(''), error =>
      left.resolve(error ? 'lost' : 'written'),
    )
    return await left.promise
  }
}
