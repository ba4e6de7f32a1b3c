// The findings as text for a terminal, a line each, or as one line of JSON for a program.
import { cleanLine } from '@postern/protocol'
import { escapeJson } from '../json-line.ts'
import { type Diagnosis, subjects } from './finding.ts'

/** `FAIL` should catch the eye. */
const words = { ok: 'ok', warn: 'warn', fail: 'FAIL' } as const

const WORD_WIDTH = 6
const SUBJECT_WIDTH = Math.max(...subjects.map(subject => subject.length)) + 2

export function findingLine(finding: Diagnosis): string {
  const head = words[finding.state].padEnd(WORD_WIDTH) + finding.subject.padEnd(SUBJECT_WIDTH)
  return head + cleanLine(finding.state === 'ok' ? finding.text : `${finding.text} → ${finding.todo}`)
}

export const hasFailed = (findings: readonly Diagnosis[]): boolean => findings.some(({ state }) => state === 'fail')

export const findingsJson = (findings: readonly Diagnosis[]): string =>
  escapeJson(JSON.stringify({ ok: !hasFailed(findings), findings }))
