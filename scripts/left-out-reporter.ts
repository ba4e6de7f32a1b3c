// Prints at the end of a test run which projects it left out, and how to run them.
import type { Reporter, Vitest } from 'vitest/node'
import { leftOut } from './test-projects.ts'

export class LeftOutReporter implements Reporter {
  #missing: string[] = []

  onInit({ projects }: Vitest): void {
    this.#missing = leftOut(projects.map(({ name }) => name))
  }

  onTestRunEnd(): void {
    if (this.#missing.length === 0) return
    console.info(
      [
        '',
        'This run left out these projects:',
        ...this.#missing.map(line => `  ${line}`),
        '`npm run test:all` runs all but `campaigns`; `npx vitest run --project slow` runs one project.',
      ].join('\n'),
    )
  }
}
