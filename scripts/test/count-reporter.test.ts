// The line that a CI reads must count every kind of failure, including a file that could not be loaded.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'postern-count-'))
afterEach(() => rmSync(folder, { recursive: true }))

test('passed and failed tests, files that do not load and stray errors are counted; skipped tests are not', () => {
  const count = join(folder, 'count')
  const files = {
    'passes.test.ts':
      "import { test } from 'vitest'\ntest('a', () => {})\ntest('b', () => {})\ntest.skip('c', () => {})",
    'fails.test.ts': "import { test } from 'vitest'\ntest('a', () => { throw new Error('wrong') })",
    'does-not-load.test.ts': "throw new Error('not even loaded')",
    'strays.test.ts': "import { test } from 'vitest'\ntest('a', () => { void Promise.reject(new Error('stray')) })",
    'vitest.config.ts': [
      `import { CountReporter } from '${join(root, 'scripts/count-reporter.ts')}'`,
      `export default { test: { reporters: [new CountReporter('${count}')] } }`,
    ].join('\n'),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run'], { cwd: folder })
  const lines = readFileSync(count, 'utf8').split('\n')
  expect({ status, end: lines.slice(-2) }).toEqual({ status: 1, end: ['3 passed, 3 failed', ''] })
  expect(
    lines
      .slice(1, 5)
      .map(line => /\d s {2}(\S+)$/.exec(line)?.[1] ?? line)
      .toSorted(),
  ).toEqual(
    Object.keys(files)
      .filter(name => name.endsWith('.test.ts'))
      .toSorted(),
  )
})
