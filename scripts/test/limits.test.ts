// Limits are in one file: a size, a count or a timeout at its place of use would be missing from it.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

const limit = /^(?:export )?const ([A-Z][A-Z0-9_]*(?:_MAX|_MS|_SEC|_MIN|_KEPT|_AT_ONCE|_PER_[A-Z]+)) = \d/gm

/** Not our choice: limits of a platform or of a format. */
const given = new Set([
  'packages/core BUSY_TIMEOUT_MS',
  'packages/core TIMER_MS_MAX',
  'packages/core TS_MAX',
  'packages/gateway LAST_MS',
  'packages/media BLOCKS_TOGETHER_MAX',
  'packages/media CODE_BITS_MAX',
  'packages/media GROUP_BYTES_MAX',
  'packages/media LOOK_BITS_MAX',
  'packages/media PUT_BITS_MAX',
  'packages/media WRITTEN_BYTES_MAX',
  'packages/mls CREDENTIAL_BYTES_MAX',
  'packages/mls GENERATION_MAX',
  'packages/mls GROUP_ID_BYTES_MAX',
  'packages/relay CALL_TAG_MAX',
])

test('a limit stands in packages/protocol/src/limits.ts', () => {
  const sources = globSync('packages/{protocol,bot-api,mls,relay,core,media,telegram,gateway}/src/**/*.ts', {
    cwd: root,
  })
  const found = sources
    .filter(path => path !== 'packages/protocol/src/limits.ts')
    .flatMap(path =>
      [...readFileSync(join(root, path), 'utf8').matchAll(limit)].map(([, name]) => ({
        path,
        name: `${path.split('/', 2).join('/')} ${name}`,
      })),
    )
    .filter(({ name }) => !given.has(name))
  expect(sources.length).toBeGreaterThan(200)
  expect(found).toEqual([])
})
