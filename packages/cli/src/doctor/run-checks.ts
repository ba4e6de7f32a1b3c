// Runs a list of checks: those that wait for others at once, and what they find comes in the order of the list.
import { clauseOf, type Finding, fail, type Subject } from './finding.ts'

export type Check<Case> = {
  subject: Subject
  /** Gives nothing where there is nothing to look at. */
  look: (looked: Case) => Promise<readonly Finding[]> | readonly Finding[]
  /** Keeps this process busy: run beside others, they would seem to be slow. */
  alone?: true
}

export async function* runChecks<Case>(checks: readonly Check<Case>[], looked: Case): AsyncGenerator<Finding> {
  const begun = checks.map(check => ({ check, findings: check.alone ? undefined : look(check, looked) }))
  for (const { check, findings } of begun) yield* await (findings ?? look(check, looked))
}

/** Never rejects: what is wrong with one check must not hide what the others find. */
async function look<Case>({ subject, look: find }: Check<Case>, looked: Case): Promise<readonly Finding[]> {
  try {
    return await find(looked)
  } catch (error) {
    const todo = 'if it stays so, report it'
    return [fail(subject, { text: `it could not be looked at (${clauseOf(error)})`, todo })]
  }
}
