// The log of a process: one JSON object a line on standard output, without secrets and texts.
import { pino } from 'pino'
import type { Log } from './log.ts'

export type ProcessLogOptions = {
  level: string
  /** For lines that could not be written yet. */
  waitingBytesMax: number
}

/** Its level may be set while it is in use. */
export function openProcessLog({ level, waitingBytesMax }: ProcessLogOptions): Log & { level: string } {
  const output = pino.destination({ fd: 1, sync: true, maxLength: waitingBytesMax })
  // Lines that cannot be written, such as to a full disk, wait and must not end the process.
  output.on('error', () => undefined)
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: null, timestamp, formatters: { level: label => ({ level: label }) } }, output)
}

/** An uncaught error is a fault of ours. It is logged and ends the process, because the state may be wrong. */
export function logCrash(log: Log, part: 'gateway' | 'relay'): () => void {
  const write = (error: unknown) => log.error({ err: error }, `unexpected error; ${part} stops`)
  process.on('uncaughtExceptionMonitor', write)
  return () => void process.off('uncaughtExceptionMonitor', write)
}
