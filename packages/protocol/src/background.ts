// Runs promises that no caller awaits. Failures are logged; an unhandled rejection would end the process.
import type { Clock } from './clock.ts'
import { CodedError, isCoded } from './errors.ts'
import { systemFault } from './system-faults.ts'

export interface FaultLog {
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

/** `what` was to be done, as in "a mailbox could not be read". */
export type Background = { what: string; log: FaultLog }

/** For a promise that nobody awaits. */
export function inBackground(work: Promise<unknown>, background: Background): void {
  work.catch((error: unknown) => logFault(error, background))
}

/** For callbacks of a clock or of the event loop. */
export function guarded(run: () => void, background: Background): () => void {
  return () => {
    try {
      run()
    } catch (error) {
      logFault(error, background)
    }
  }
}

/** The same for every timer of a clock. */
export const guardedClock = (clock: Clock, log: FaultLog): Clock => ({
  nowMs: () => clock.nowMs(),
  monotonicMs: () => clock.monotonicMs(),
  setTimer: (afterMs, run) => clock.setTimer(afterMs, guarded(run, { what: 'timer failed', log })),
})

/** An expected failure is a warning of one line. Our own fault is an error with its stack. */
export function logFault(error: unknown, { what, log }: Background): void {
  const fault = systemFault(error)
  if (isCoded(fault, 'stopping')) return
  if (isExpected(fault)) log.warn(lineOf(fault), what)
  else log.error({ err: fault }, what)
}

/** Fields for a log line whose level the caller chooses: one line for an expected failure, a stack for our own fault. */
export function faultFields(error: unknown): object {
  const fault = systemFault(error)
  return isExpected(fault) ? lineOf(fault) : { err: fault }
}

const isExpected = (fault: unknown): fault is CodedError => fault instanceof CodedError && fault.code !== 'internal'

/** Fields for a log line: what happened and, if the system reported it, the system's code. */
export function lineOf(error: CodedError): object {
  const { cause } = error
  const system = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  return { code: error.code, reason: error.message, ...(system !== undefined && { system }) }
}
