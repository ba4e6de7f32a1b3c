// The lint must really read types and know each file's place: one file for each fault that it must find.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const longFunction = (lines: number) => `export const f = () => {\n${'  g()\n'.repeat(lines - 2)}}\nconst g = () => 1\n`

const faults: [path: string, rule: string, text: string][] = [
  ['packages/relay/src/a1.ts', 'no-floating-promises', 'const wait = async () => 1\nexport const f = () => { wait() }'],
  [
    'packages/relay/src/a10.ts',
    'no-floating-promises',
    'const wait = async () => 1\nexport const f = () => { void wait() }',
  ],
  [
    'packages/core/src/a11.ts',
    'no-floating-promises',
    'const wait = async () => 1\nexport const f = () => { wait().finally(() => 1) }',
  ],
  ['packages/relay/src/a12.ts', 'no-restricted-globals', 'export const f = () => setImmediate(() => 1)'],
  ['packages/gateway/src/a13.ts', 'no-restricted-globals', 'export const f = () => queueMicrotask(() => 1)'],
  ['packages/relay/src/a14.ts', 'no-restricted-properties', 'export const f = () => process.nextTick(() => 1)'],
  ['packages/core/src/a15-node.ts', 'no-restricted-globals', 'export const f = () => setImmediate(() => 1)'],
  [
    'packages/relay/src/a2.ts',
    'no-misused-promises',
    'export const f = (run: (then: () => void) => void) => run(async () => { await Promise.resolve() })',
  ],
  [
    'packages/relay/src/a3.ts',
    'switch-exhaustiveness-check',
    "export const f = (kind: 'a' | 'b') => { switch (kind) { case 'a': return 1 } return 2 }",
  ],
  ['packages/relay/src/a4.ts', 'no-explicit-any', 'export const f = (value: any) => value !== 1'],
  ['packages/relay/src/a5.ts', 'no-unused-vars', 'const unused = 1\nexport const f = 1'],
  ['packages/relay/src/a6.ts', 'consistent-type-imports', "export type T = import('node:fs').Stats"],
  ['packages/relay/src/a7.ts', 'max-lines', `export const f = 1${'\n'.repeat(301)}`],
  ['packages/relay/src/a8.ts', 'max-lines-per-function', longFunction(71)],
  ['packages/relay/src/a9.ts', 'no-console', "console.log('a')"],
  ['packages/core/src/b1.ts', 'no-restricted-globals', 'export const f = () => setTimeout(() => 1, 1)'],
  ['packages/core/src/b2.ts', 'no-restricted-globals', 'export const f = () => process.platform'],
  ['packages/core/src/b3.ts', 'no-restricted-globals', 'export const f = (url: string) => new WebSocket(url)'],
  ['packages/core/src/b4.ts', 'no-restricted-properties', 'export const f = () => Date.now()'],
  ['packages/core/src/d1.ts', 'avoid-new', 'export const f = () => new Promise<void>(resolve => resolve())'],
  ['packages/cli/src/d2.ts', 'avoid-new', 'export const f = () => new Promise<void>(resolve => resolve())'],
  ['packages/core/src/d3-node.ts', 'avoid-new', 'export const f = () => new Promise<void>(resolve => resolve())'],
  ['packages/gateway/src/d4.ts', 'no-restricted-properties', 'export const f = () => Promise.withResolvers<void>()'],
  ['packages/cli/src/d5.ts', 'no-restricted-properties', 'export const f = () => Promise.race([Promise.resolve(1)])'],
  ['packages/testkit/src/d6.ts', 'avoid-new', 'export const f = () => new Promise<void>(resolve => resolve())'],
  ['packages/testkit/src/d7.ts', 'no-restricted-properties', 'export const f = () => Promise.withResolvers<void>()'],
]

const allowed: [path: string, text: string][] = [
  ['packages/core/src/clock-node.ts', 'export const f = () => process.pid'],
  ['packages/relay/test/c3.test.ts', 'const wait = async () => 1\nexport const f = () => { void wait() }'],
  ['packages/protocol/src/waiting/deferred.ts', 'export const f = () => Promise.withResolvers<void>()'],
  ['packages/relay/test/c4.test.ts', 'export const f = () => new Promise<void>(resolve => resolve())'],
  ['packages/relay/src/c1.ts', longFunction(70)],
  ['packages/relay/test/c2.test.ts', longFunction(100) + '\n'.repeat(300)],
]

let output = ''
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-lint-'))
  for (const file of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [path, text] of [...faults.map(([path, , text]) => [path, text] as const), ...allowed]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  const run = spawnSync(process.execPath, [oxlint, '--format=unix'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
  })
  output = run.stdout + run.stderr
})
afterAll(() => rmSync(folder, { recursive: true }))

const linesOf = (path: string): string[] => output.split('\n').filter(line => line.startsWith(`${path}:`))

describe('each fault is an error', () => {
  test.each(faults)('%s: %s', (path, rule) => {
    expect(linesOf(path)).toContainEqual(expect.stringMatching(new RegExp(`\\[Error/\\w+\\(${rule}\\)\\]`)))
  })
})

test.each(allowed)('%s is in order', path => {
  expect(linesOf(path)).toEqual([])
})
