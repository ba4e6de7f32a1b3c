// The findings of `postern doctor`: a verdict, a subject, and what to do.
import { cleanLine, doctorLimits } from '@postern/protocol'

/** The subjects of findings, in the order of the report. */
export const subjects = [
  'settings',
  'program',
  'library',
  'directory',
  'disk',
  'backup',
  'process',
  'port',
  'register',
  'metrics',
  'push',
  'room',
  'relay',
  'tls',
  'host',
  'clock',
  'login',
  'files',
  'webhook',
  'hooks',
  'mcp',
  'database',
] as const
export type DiagnosisSubject = (typeof subjects)[number]

export type Diagnosis =
  | { subject: DiagnosisSubject; state: 'ok'; text: string }
  | { subject: DiagnosisSubject; state: 'warn' | 'fail'; text: string; todo: string }

export const ok = (subject: DiagnosisSubject, text: string): Diagnosis => ({ subject, state: 'ok', text })

export const warn = (subject: DiagnosisSubject, { text, todo }: { text: string; todo: string }): Diagnosis => ({
  subject,
  state: 'warn',
  text,
  todo,
})

export const fail = (subject: DiagnosisSubject, { text, todo }: { text: string; todo: string }): Diagnosis => ({
  subject,
  state: 'fail',
  text,
  todo,
})

/** Text of other programs, in a form that can be shown. */
export function quoted(text: string): string {
  const line = cleanLine(text)
  const { quotedCharsMax } = doctorLimits
  return line.length <= quotedCharsMax ? line : `${line.slice(0, quotedCharsMax).toWellFormed()}…`
}

export const messageOf = (error: unknown): string => quoted(error instanceof Error ? error.message : String(error))

/** Without the full stop: more text follows. */
export const clauseOf = (error: unknown): string => messageOf(error).replace(/\.$/, '')
