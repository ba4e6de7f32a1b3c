// A log that a test reads: the lines and their levels.
import type { Log } from '@postern/core'

type Line = { level: keyof Log; text: string; fields: object }

export class RecordedLog implements Log {
  readonly lines: Line[] = []

  debug = (fields: object, text: string) => void this.lines.push({ level: 'debug', text, fields })
  info = (fields: object, text: string) => void this.lines.push({ level: 'info', text, fields })
  warn = (fields: object, text: string) => void this.lines.push({ level: 'warn', text, fields })
  error = (fields: object, text: string) => void this.lines.push({ level: 'error', text, fields })

  /** Lines that an operator sees at the default level and should check. */
  get warnings(): string[] {
    return this.lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ text }) => text)
  }
}
