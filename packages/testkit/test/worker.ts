// The parts of a test's worker in Chromium; runs in the browser.
import { answerCalls, type Calls } from './worker-answers.ts'
import { caseNames, runCase } from './worker-vitest.ts'

export { answerCalls } from './worker-answers.ts'

/** For a worker that has defined contract suites: each of their cases by its name, and its other calls. */
export function answerContracts(others: Calls = {}): void {
  answerCalls({ ...others, caseNames, runCase })
}
