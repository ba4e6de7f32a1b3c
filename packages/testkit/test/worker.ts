// What the worker of a test in Chromium is made of; runs in the browser.
import { answerCalls, type Calls } from './worker-answers.ts'
import { caseNames, runCase } from './worker-vitest.ts'

export { answerCalls } from './worker-answers.ts'

/** For a worker that has defined contract suites: each of their cases by its name, and what else it can do. */
export function answerContracts(others: Calls = {}): void {
  answerCalls({ ...others, caseNames, runCase })
}
