// Runs a list of checks: waiting ones concurrently, with their findings in the order of the list.
import { clauseOf, type Diagnosis, type DiagnosisSubject, fail } from './finding.ts'

export type Check<Case> = {
  subject: DiagnosisSubject
  /** Returns nothing if there is nothing to check. */
  look: (looked: Case) => Promise<readonly Diagnosis[]> | readonly Diagnosis[]
  /** Keeps this process busy: alongside others, it would make them seem slow. */
  alone?: true
}

export async function* runChecks<Case>(checks: readonly Check<Case>[], looked: Case): AsyncGenerator<Diagnosis> {
  const begun = checks.map(check => ({ check, findings: check.alone ? undefined : look(check, looked) }))
  for (const { check, findings } of begun) yield* await (findings ?? look(check, looked))
}

/** Never rejects: the failure of one check must not hide the findings of the others. */
async function look<Case>({ subject, look: find }: Check<Case>, looked: Case): Promise<readonly Diagnosis[]> {
  try {
    return await find(looked)
  } catch (error) {
    const todo = 'if this persists, report it'
    return [fail(subject, { text: `the check failed (${clauseOf(error)})`, todo })]
  }
}
