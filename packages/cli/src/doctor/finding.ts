// What `postern doctor` has found: a word for how it is, what it is about, and what to do.
import { cleanLine, doctorLimits } from '@postern/protocol'

/** What a finding can be about, in the order of the report. */
export const subjects = [
  'settings',
  'program',
  'library',
  'directory',
  'disk',
  'backup',
  'process',
  'register',
  'metrics',
  'room',
  'relay',
  'host',
  'clock',
  'login',
  'files',
  'webhook',
  'hooks',
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

/** What others say, as far as it can be shown. */
export function quoted(text: string): string {
  const line = cleanLine(text)
  const { quotedCharsMax } = doctorLimits
  return line.length <= quotedCharsMax ? line : `${line.slice(0, quotedCharsMax).toWellFormed()}…`
}

export const messageOf = (error: unknown): string => quoted(error instanceof Error ? error.message : String(error))

/** Without the full stop: something stands behind it. */
export const clauseOf = (error: unknown): string => messageOf(error).replace(/\.$/, '')
