// The log for a person at a terminal: warnings and errors, and everything with LOG_LEVEL=debug, one line each.
import type { Writable } from 'node:stream'
import type { Log } from '@postern/core'
import { cleanLine } from '@postern/protocol'
import { escapeJson } from './json-line.ts'

export function terminalLog(stream: Writable, logLevel = process.env['LOG_LEVEL']): Log {
  // A closed terminal, or a file on a full disk, must not end the work.
  stream.on('error', () => undefined)
  const said = (_: string, value: unknown) => (value instanceof Error ? value.message : value)
  const say = (fields: object, text: string) => {
    const details = Object.keys(fields).length > 0 ? ` ${escapeJson(JSON.stringify(fields, said))}` : ''
    // Some of it may come from a relay.
    stream.write(`${cleanLine(text)}${details}\n`)
  }
  const more = logLevel === 'debug' ? say : () => {}
  return { debug: more, info: more, warn: say, error: say }
}
