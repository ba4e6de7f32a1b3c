// Writes the ten slowest files and `N passed, N failed` to a file when a test run ends: a CI shows it without knowing vitest.
import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

const SLOWEST = 10

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
      // A file that could not be loaded has no tests to count, and must not pass as a file without failures.
      failed += module.errors().length
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed += 1
        if (test.result().state === 'failed') failed += 1
      }
    }
    writeFileSync(this.#file, `${slowest(modules)}\n${passed} passed, ${failed} failed\n`)
  }
}

function slowest(modules: readonly TestModule[]): string {
  const rows = modules
    .map(module => ({ module, ms: module.diagnostic().duration }))
    .toSorted((one, two) => two.ms - one.ms)
    .slice(0, SLOWEST)
    .map(
      ({ module, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${module.relativeModuleId} ${module.project.name}`,
    )
  return ['The slowest files:', ...rows].map(row => row.trimEnd()).join('\n')
}
