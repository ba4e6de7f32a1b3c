// Writes `N passed, N failed` to a file when a test run ends: the line that a CI reads without knowing vitest.
import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

export class CountReporter implements Reporter {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    let passed = 0
    // An error outside of any test fails the run, so it must show in the count.
    let failed = unhandledErrors.length
    for (const module of modules) {
      // A file that could not be loaded has no tests to count, and must not pass for a file without failures.
      failed += module.errors().length
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed += 1
        if (test.result().state === 'failed') failed += 1
      }
    }
    writeFileSync(this.#file, `${passed} passed, ${failed} failed\n`)
  }
}
