// What a person at a terminal wants to know: warnings and errors, one line each on standard error.
import type { Writable } from 'node:stream'
import type { Log } from '@postern/core'
import { cleanLine } from '@postern/protocol'
import { escapeJson } from './json-line.ts'

export function terminalLog(stream: Writable): Log {
  // A terminal that is gone, or a file on a full disk, must not end what it is told of.
  stream.on('error', () => undefined)
  const said = (_: string, value: unknown) => (value instanceof Error ? value.message : value)
  const say = (fields: object, text: string) => {
    const details = Object.keys(fields).length > 0 ? ` ${escapeJson(JSON.stringify(fields, said))}` : ''
    // Some of it may be the words of a relay.
    stream.write(`${cleanLine(text)}${details}\n`)
  }
  const nothing = () => {}
  return { debug: nothing, info: nothing, warn: say, error: say }
}
