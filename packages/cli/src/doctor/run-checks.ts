// Runs a list of checks: those that wait for others at once, and what they find comes in the order of the list.
import { clauseOf, type Diagnosis, type DiagnosisSubject, fail } from './finding.ts'

export type Check<Case> = {
  subject: DiagnosisSubject
  /** Gives nothing where there is nothing to look at. */
  look: (looked: Case) => Promise<readonly Diagnosis[]> | readonly Diagnosis[]
  /** Keeps this process busy: run beside others, they would seem to be slow. */
  alone?: true
}

export async function* runChecks<Case>(checks: readonly Check<Case>[], looked: Case): AsyncGenerator<Diagnosis> {
  const begun = checks.map(check => ({ check, findings: check.alone ? undefined : look(check, looked) }))
  for (const { check, findings } of begun) yield* await (findings ?? look(check, looked))
}

/** Never rejects: what is wrong with one check must not hide what the others find. */
async function look<Case>({ subject, look: find }: Check<Case>, looked: Case): Promise<readonly Diagnosis[]> {
  try {
    return await find(looked)
  } catch (error) {
    const todo = 'if this persists, report it'
    return [fail(subject, { text: `the check failed (${clauseOf(error)})`, todo })]
  }
}
