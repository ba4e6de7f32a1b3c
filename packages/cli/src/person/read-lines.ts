// Reads lines from a stream, one after the other. A line that is too long is reported and skipped, not kept in memory.
import type { Readable } from 'node:stream'

export type InputLine = { kind: 'line'; text: string } | { kind: 'too-long' }

const NEWLINE = 10

export async function* readLines(input: Readable, { bytesMax }: { bytesMax: number }): AsyncGenerator<InputLine> {
  let parts: Buffer[] = []
  let length = 0
  const finish = (): InputLine => {
    const line: InputLine =
      length > bytesMax ? { kind: 'too-long' } : { kind: 'line', text: Buffer.concat(parts).toString() }
    parts = []
    length = 0
    return line
  }
  const keep = (part: Buffer) => {
    length += part.length
    if (length <= bytesMax) parts.push(part)
    else parts = []
  }
  for await (const chunk of input) {
    let rest = Buffer.from(chunk as Buffer | string)
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      keep(rest.subarray(0, end))
      yield finish()
      rest = rest.subarray(end + 1)
    }
    keep(rest)
  }
  if (length > 0) yield finish()
}
