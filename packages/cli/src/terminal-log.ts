// What a person at a terminal wants to know: warnings and errors, one line each on standard error.
import type { Writable } from 'node:stream'
import type { Log } from '@postern/core'

export function terminalLog(stream: Writable): Log {
  const say = (fields: object, text: string) => {
    const details = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
    stream.write(`${text}${details}\n`)
  }
  const nothing = () => {}
  return { debug: nothing, info: nothing, warn: say, error: say }
}
