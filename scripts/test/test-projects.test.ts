// Which test runs where: outdated lists must not stay unnoticed.
import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { CAMPAIGN_FILES } from '@postern/testkit/random'
import { expect, test, vi } from 'vitest'
import { filesInFirefox, IN_BOTH_BROWSERS } from '../in-firefox.ts'
import { onBothStores, RUN_AGAIN_IN_CAMPAIGNS, RUN_ONCE } from '../on-postgres.ts'
import { filesOf, KINDS, leftOut, MOCKED_FILES, testProjects } from '../test-projects.ts'

const root = join(import.meta.dirname, '../..')
const testFiles = (pattern: string): string[] => globSync(pattern, { cwd: root }).toSorted()

test('every end-to-end test is run on both stores, or has a reason why not', () => {
  const again = onBothStores()
  expect(again.filter(file => file.startsWith('e2e/')).toSorted()).toEqual(
    testFiles('e2e/test/**/*.test.ts').filter(file => !Object.hasOwn({ ...RUN_ONCE, ...RUN_AGAIN_IN_CAMPAIGNS }, file)),
  )
})

test('what is named in the lists is there', () => {
  const files = testFiles('{packages/*,e2e}/test/**/*.test.ts')
  expect(files).toEqual(
    expect.arrayContaining([
      ...onBothStores(),
      ...Object.keys({ ...RUN_ONCE, ...RUN_AGAIN_IN_CAMPAIGNS }),
      ...MOCKED_FILES,
      ...IN_BOTH_BROWSERS,
    ]),
  )
})

test('vite, and not Node, loads our modules for all tests that put something in their place', () => {
  const bending = testFiles('{packages/*,e2e}/test/**/*.test.ts').filter(file =>
    /^vi\.mock\(/m.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(bending).toEqual(MOCKED_FILES.toSorted())
})

test('every test file is in one project, beside its second run on PostgreSQL or in Firefox', () => {
  const files = testProjects().flatMap(({ test: { name, include } }) =>
    /^(PostgreSQL|Firefox)/.test(name) ? [] : include,
  )
  expect(files.toSorted()).toEqual(testFiles('{packages/*,e2e,bench,campaign,scripts}/test/**/*.test.ts'))
})

test('a campaign runs every file that a change leaves out', () => {
  const left = [...Object.keys(RUN_AGAIN_IN_CAMPAIGNS), ...filesOf('campaigns')]
  expect(left.filter(file => !CAMPAIGN_FILES.some(part => file.includes(part)))).toEqual([])
})

test('every pattern of a project names a file', () => {
  const idle = KINDS.flatMap(({ name, files }) =>
    files.filter(pattern => !filesOf(name).some(file => matchesGlob(file, pattern))),
  )
  expect(idle).toEqual([])
})

test('what `npm test` runs asks for no browser, no database server and no compiler', () => {
  const asking = filesOf('quick').filter(file =>
    /testkit\/(browser|postgres|postgres-cluster|disk-faults)'|newDatabase\(/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  )
  expect(asking).toEqual([])
})

test('a run says which projects it left out', () => {
  const named = (lines: string[]) => lines.map(line => line.split(' ')[0])
  expect(named(leftOut(['quick', 'quick, bent']))).toEqual([...KINDS.map(({ name }) => name), 'PostgreSQL', 'Firefox'])
  expect(
    named(leftOut(['campaigns', 'browsers', 'kills', 'stores', 'slow', 'PostgreSQL', 'Firefox', 'quick'])),
  ).toEqual([])
})

test('a machine without Firefox runs the walks in Chromium alone, and says what is missing', () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue()
  vi.stubEnv('PATH', join(root, 'docs')).stubEnv('FIREFOX', undefined)
  try {
    expect(filesInFirefox()).toEqual([])
    expect(warned.mock.lastCall?.[0]).toContain('apt-get install firefox-esr')
    vi.stubEnv('FIREFOX', process.execPath)
    expect(filesInFirefox()).toEqual(IN_BOTH_BROWSERS)
    vi.stubEnv('FIREFOX', join(root, 'no-such-program'))
    expect(() => filesInFirefox()).toThrow('FIREFOX names no program')
  } finally {
    vi.unstubAllEnvs()
    warned.mockRestore()
  }
})
