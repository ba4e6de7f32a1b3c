// Asks the process that runs on a data directory for its status: through its control socket, with a timeout.
import { type Clock, CodedError, Deferred, doctorLimits, isCoded } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import type { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { clauseOf, type Diagnosis, fail, ok, quoted, warn } from './finding.ts'

/** `odd`: something answers, but not like this version. */
export type ProcessState<Status> =
  | { kind: 'answers'; status: Status }
  | { kind: 'nothing' }
  | { kind: 'hangs' }
  /** The socket cannot be used: it belongs to another user, or its path is too long. */
  | { kind: 'closed'; why: string }
  | { kind: 'odd'; why: string }

type Question = { command: string; timeoutMs: number; clock: Clock }

/** Throws `send-in-doubt` on a timeout, `not-running`, and errors that the process answers with. */
export async function askWithin(directory: string, { command, timeoutMs, clock }: Question): Promise<object> {
  const leave = new AbortController()
  const wait = new Deferred<object>()
  wait.settleWith(askControl(directory, { request: { command, arguments: {} }, signal: leave.signal }))
  wait.after(clock, timeoutMs, () => wait.reject(new CodedError('send-in-doubt')))
  wait.onSettled(() => leave.abort())
  return await wait.promise
}

type Asked<Status> = { directory: string; clock: Clock; schema: z.ZodType<Status> }

export async function askStatus<Status>({ directory, clock, schema }: Asked<Status>): Promise<ProcessState<Status>> {
  try {
    const timeoutMs = doctorLimits.answerWithinMs
    const given = schema.safeParse(await askWithin(directory, { command: 'status', timeoutMs, clock }))
    return given.success ? { kind: 'answers', status: given.data } : { kind: 'odd', why: 'its answer is different' }
  } catch (error) {
    if (isCoded(error, 'not-running')) return { kind: 'nothing' }
    if (isCoded(error, 'send-in-doubt')) return { kind: 'hangs' }
    return { kind: isCoded(error, 'database-unusable') ? 'closed' : 'odd', why: clauseOf(error) }
  }
}

type ProcessCase = {
  running: ProcessState<{ started: string }>
  what: string
  /** The version of the running process, if it reports one. */
  version?: string | undefined
  unseen: string
}

/** `unseen`: what remains unknown if nothing runs. */
export function checkProcess({ running, what, version, unseen }: ProcessCase): Diagnosis[] {
  switch (running.kind) {
    case 'answers':
      if (version !== undefined && version !== manifest.version) {
        const text = `the running ${what} is version ${quoted(version)}, but version ${manifest.version} is installed`
        return [warn('process', { text, todo: 'restart it' })]
      }
      return [
        ok('process', `the ${what} answers on its control socket and has been running since ${running.status.started}`),
      ]
    case 'nothing':
      return [warn('process', { text: `no ${what} is running on the directory`, todo: `start it; ${unseen}` })]
    case 'hangs': {
      const text = `the ${what} has its control socket open but does not answer`
      return [fail('process', { text, todo: 'check its log and its load, and restart it' })]
    }
    case 'closed':
      return [warn('process', { text: `no ${what} can be queried`, todo: running.why })]
    case 'odd': {
      const text = `the process on the control socket is another version of the ${what} (${running.why})`
      return [warn('process', { text, todo: 'use the doctor of the running version' })]
    }
  }
}
