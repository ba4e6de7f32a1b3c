// The log of clients in tests: silent, unless POSTERN_TEST_LOG is set.
import { type Log, silentLog } from '@postern/core'

export function testLog(name: string): Log {
  if (!process.env['POSTERN_TEST_LOG']) return silentLog
  const at = (level: string) => (fields: object, text: string) =>
    void process.stderr.write(`${level} ${name}: ${text} ${JSON.stringify(fields)}\n`)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
