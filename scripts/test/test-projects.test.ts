// Which test runs where: lists that go out of date must not do so in silence.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onBothStores, RUN_ONCE } from '../on-postgres.ts'
import { BENT } from '../test-projects.ts'

const root = join(import.meta.dirname, '../..')
const testFiles = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted()

test('every end-to-end test is run on both stores, or has a reason why not', () => {
  const again = onBothStores()
  expect(again.filter(file => file.startsWith('e2e/')).toSorted()).toEqual(
    testFiles('e2e/test/**/*.test.ts').filter(file => !Object.hasOwn(RUN_ONCE, file)),
  )
})

test('what is named in the lists is there', () => {
  const files = testFiles('{packages/*,e2e}/test/**/*.test.ts')
  expect(files).toEqual(expect.arrayContaining([...onBothStores(), ...Object.keys(RUN_ONCE), ...BENT]))
})

test('vite, and not Node, loads our modules for all tests that put something in their place', () => {
  const bending = testFiles('{packages/*,e2e}/test/**/*.test.ts').filter(file =>
    /^vi\.mock\(/m.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(bending).toEqual(BENT.toSorted())
})
