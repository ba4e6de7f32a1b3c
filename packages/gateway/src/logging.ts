// The gateway's log: one JSON object a line on standard output. Nothing that is logged may be a secret or a text.
import type { Log } from '@postern/core'
import { pino } from 'pino'
import type { LogLevel } from './config.ts'

export const createLog = (level: LogLevel): Log =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
  })
