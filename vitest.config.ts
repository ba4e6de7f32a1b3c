// One test run for the whole workspace: tests live beside the package they speak for.
import './packages/cli/bin/require-node.cjs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { CountReporter } from './scripts/count-reporter.ts'
import { LeftOutReporter } from './scripts/left-out-reporter.ts'
import { LongestFirst } from './scripts/longest-first.ts'
import { testProjects } from './scripts/test-projects.ts'

// npm says `production` to every script while `.npmrc` leaves the tools out, and libraries would hide their warnings.
process.env['NODE_ENV'] = 'test'

const countFile = process.env['POSTERN_TEST_COUNT_FILE']

export default defineConfig({
  test: {
    projects: testProjects().map(project => ({ extends: true, ...project })),
    // Our code comes from Node's cache; every answer of a gateway in any test is compared with the OpenAPI document.
    setupFiles: [
      'packages/testkit/test/code-cache.ts',
      'packages/testkit/test/leftovers.ts',
      'packages/gateway/test/documented.ts',
    ],
    // Directories in memory first; a browser and a PostgreSQL for those that want one, and one for all of them.
    globalSetup: [
      'packages/testkit/test/end-with-run.ts',
      'packages/testkit/test/memory-disk-run.ts',
      'packages/testkit/test/chromium-run.ts',
      'packages/testkit/test/postgres-run.ts',
    ],
    // Processes: tests kill children, change the working directory and fill disks.
    pool: 'forks',
    // Two more than the machine has cores: tests also wait for disks, servers and killed processes.
    maxWorkers: availableParallelism() + 2,
    // In their order: what is there before a file is counted when the cache is set up.
    sequence: { sequencer: LongestFirst, setupFiles: 'list' },
    // Only what hangs is cut off: no test may fail because the machine has other things to do.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // Tests wait for events, never for a moment to pass: one that takes this long is worth a look.
    slowTestThreshold: 2_000,
    reporters: ['default', new LeftOutReporter(), ...(countFile === undefined ? [] : [new CountReporter(countFile)])],
  },
})
