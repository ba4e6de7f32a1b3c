// Every press is reported once, answered once, and its answer is shown once and to its presser alone.
import type { Outcome } from './deeds.ts'
import type { Finding } from './finding.ts'

/**
 * `toldBy`: ids of the updates that reported it. `toasts`: the people who were shown an answer, one entry for each
 * time.
 */
export type Pressed = {
  press: string
  /** Undefined if the presser does not know whether it has pressed. */
  by: string | undefined
  outcome: Outcome
  toldBy: readonly number[]
  answers: readonly Outcome[]
  toasts: readonly string[]
}

export const checkPresses = (presses: readonly Pressed[]): Finding[] => presses.flatMap(checkPress)

function checkPress({ press, by, outcome, toldBy, answers, toasts }: Pressed): Finding[] {
  const what = `press ${press} of ${by}`
  const findings: Finding[] = []
  const add = (wrong: Finding['wrong'], deed: string, words: string) =>
    void findings.push({ wrong, deed, what: `${what}: ${words}` })
  const answered = answers.filter(answer => answer === 'acknowledged').length
  if (outcome === 'acknowledged' && toldBy.length === 0) add('untold', 'press', 'no update')
  if (new Set(toldBy).size > 1) add('told-twice', 'press', `updates ${toldBy.join()}`)
  if (answered > 1) add('doubled', 'answer', `answered ${answered} times`)
  if (answered === 1 && toasts.length === 0) add('lost', 'answer', 'acknowledged, and never shown')
  if (toasts.length > 1) add('doubled', 'answer', `shown ${toasts.length} times`)
  for (const other of toasts.filter(person => by !== undefined && person !== by))
    add('invented', 'answer', `shown to ${other}`)
  return findings
}
