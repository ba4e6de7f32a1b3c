// The architecture check must find each fault: every rule on imports is broken once.
import { describe, expect, test } from 'vitest'
import { type Files, index, manifest, problemsOf, uses } from './small-checkout.ts'

test('a sound checkout has no problems', () => {
  expect(problemsOf({})).toEqual([])
})

test('a reader that read too little fails', () => {
  expect(problemsOf({}, { modulesMin: 1_000 })).toEqual([expect.stringMatching(/^Only \d+ modules were read/)])
})

test.each(['export const = 1', "await import(where + '.ts')"])('a file that cannot be read fails: %s', text => {
  expect(problemsOf({ 'packages/core/src/client.ts': text })).toEqual([
    expect.stringContaining('packages/core/src/client.ts cannot be read: '),
  ])
})

test('a package without a line in the table fails', () => {
  expect(problemsOf({ 'packages/newcomer/src/index.ts': '' })).toEqual([
    expect.stringContaining('packages/newcomer is not in the table'),
  ])
})

describe('each rule finds its violation', () => {
  const violations: [rule: string, path: string, text: string][] = [
    ['no-dead-imports', 'packages/core/src/client.ts', "import './gone.ts'"],
    ['packages-by-name', 'packages/core/src/client.ts', "import '../../protocol/src/index.ts'"],
    ['protocol-uses-only-what-it-may', 'packages/protocol/src/ids.ts', "import '@postern/core'"],
    ['relay-uses-only-what-it-may', 'packages/relay/src/main.ts', "import type { core } from '@postern/core'"],
    ['core-uses-only-what-it-may', 'packages/core/src/client.ts', "import '@postern/testkit'"],
    ['cli-uses-only-what-it-may', 'packages/cli/src/main.ts', "import '@postern/testkit'"],
    ['gateway-uses-only-what-it-may', 'packages/gateway/src/main.ts', "export type { people } from '@postern/testkit'"],
    ['no-tests-in-the-product', 'packages/core/src/client.ts', "await import('../test/people.ts')"],
    ['relay-is-blind', 'packages/relay/src/main.ts', "import type { content } from '@postern/protocol/content'"],
    ['core-knows-no-endpoints', 'packages/core/src/client.ts', "import '@postern/bot-api'"],
    ['core-node-behind-its-platform', 'packages/core/src/client.ts', "import './sqlite-node.ts'"],
    [
      'core-node-behind-its-platform',
      'packages/core/src/client.ts',
      "import type { platform } from './platform-node.ts'",
    ],
    ['core-browser-behind-its-platform', 'packages/core/src/client.ts', "import './sqlite-browser.ts'"],
    ['core-node-builtins-in-node-files', 'packages/core/src/client.ts', "import type { Stats } from 'node:fs'"],
    ['core-node-packages-in-node-files', 'packages/core/src/client.ts', "import 'ws'"],
    ['core-browser-packages-in-browser-files', 'packages/core/src/client.ts', "import '@evolu/sqlite-wasm'"],
    ['gateway-http-at-the-edge', 'packages/gateway/src/chats/open.ts', "import type { FastifyReply } from 'fastify'"],
    ['app-stays-in-the-browser', 'packages/app/src/main.ts', "import '../../core/src/platform-node.ts'"],
  ]
  const around = { 'packages/core/test/people.ts': '', 'packages/core/src/sqlite-browser.ts': '' }

  test.each(violations)('%s', (rule, path, text) => {
    expect(problemsOf({ ...around, [path]: text })).toContainEqual(expect.stringContaining(`${rule}: ${path}`))
  })

  test('packages-by-name, but for the door through which measurements look inside', () => {
    const inside = "export * from '../../packages/core/src/index.ts'"
    expect(problemsOf({ 'bench/src/inside.ts': inside })).toEqual([])
    expect(problemsOf({ 'bench/src/other.ts': inside })).toEqual([
      'packages-by-name: bench/src/other.ts → packages/core/src/index.ts',
    ])
  })

  test('no-cycles, also through types alone', () => {
    const problems = problemsOf({
      'packages/core/src/chats.ts': "import type { M } from './messages.ts'\nexport type C = M",
      'packages/core/src/messages.ts': "import type { C } from './chats.ts'\nexport type M = C",
    })
    expect(problems).toEqual([
      'no-cycles: packages/core/src/chats.ts → packages/core/src/messages.ts → packages/core/src/chats.ts',
    ])
  })

  test('no-cycles tells the shortest of the rings that one import closes', () => {
    const problems = problemsOf({
      'packages/core/src/a.ts': "import './b.ts'",
      'packages/core/src/b.ts': "import './c.ts'",
      'packages/core/src/c.ts': "import './a.ts'\nimport './b.ts'",
    })
    expect(problems).toEqual(['no-cycles: packages/core/src/b.ts → packages/core/src/c.ts → packages/core/src/b.ts'])
  })

  test('relay-is-blind is told by the file that looks, not by all that import it', () => {
    const problems = problemsOf({
      'packages/relay/src/main.ts': "import './eye.ts'",
      'packages/relay/src/eye.ts': "import '@postern/protocol/content'",
    })
    expect(problems).toEqual(['relay-is-blind: packages/relay/src/eye.ts → packages/protocol/src/content/index.ts'])
  })

  test('relay-is-blind, also by a detour through what it may use', () => {
    const problems = problemsOf({ 'packages/protocol/src/index.ts': "export * from './content/index.ts'" })
    expect(problems).toEqual([
      'relay-is-blind: packages/relay/src/index.ts → packages/protocol/src/index.ts → packages/protocol/src/content/index.ts',
    ])
  })
})

describe('every way to name a file is read', () => {
  test.each([
    "import './gone.ts'",
    "import type { Gone } from './gone.ts'",
    "export { gone } from './gone.ts'",
    "export * from './gone.ts'",
    "export type { Gone } from './gone.ts'",
    "await import('./gone.ts')",
    'await import(`./gone.ts`)',
    "export type Gone = typeof import('./gone.ts')",
    "export const f = (gone: import('./gone.ts').Gone) => gone",
    "new Worker(new URL('./gone.ts', import.meta.url))",
    "new Worker(new URL('gone.ts', import.meta.url))",
    "import.meta.resolve('./gone.ts')",
    "require('./gone.ts')",
    "export const f = async () => { await using it = (await import('./gone.ts')).it; return it }",
    'class A { @decorated accessor a = import("./gone.ts") }',
  ])('%s', text => {
    expect(problemsOf({ 'packages/core/src/client.ts': text })).toEqual([
      'no-dead-imports: packages/core/src/client.ts → ./gone.ts',
    ])
  })

  test.each([
    "// import './gone.ts'",
    `export const text = "import './gone.ts'"`,
    "new URL('../docs/', import.meta.url)",
    "new URL('./gone.ts', 'https://example.org')",
  ])('and nothing else: %s', text => {
    expect(problemsOf({ 'packages/core/src/client.ts': text })).toEqual([])
  })

  test('a part of a package that it does not export is a dead import', () => {
    expect(problemsOf({ 'packages/core/src/client.ts': "import '@postern/protocol/ids'" })).toEqual([
      'no-dead-imports: packages/core/src/client.ts → @postern/protocol/ids',
    ])
  })
})

describe('undeclared-imports', () => {
  const core = (fields: object): Files => ({ 'packages/core/package.json': manifest('core', { ...index, ...fields }) })

  test('what runs needs a dependency of its own package', () => {
    const client = { 'packages/core/src/client.ts': "import '@noble/hashes/sha2.js'" }
    const problem = 'undeclared-imports: packages/core/src/client.ts → @noble/hashes'
    const dependencies = { '@postern/protocol': '0.1.0', '@noble/hashes': '2.0.0' }
    expect(problemsOf(client)).toEqual([problem])
    expect(problemsOf({ ...client, ...core({ dependencies }) })).toEqual([])
    expect(
      problemsOf({ ...client, ...core({ ...uses('protocol'), devDependencies: { '@noble/hashes': '2.0.0' } }) }),
    ).toEqual([problem])
  })

  test('a test may use what is there for development, of its package and of the root, and its own package', () => {
    const path = 'packages/core/test/a.test.ts'
    const testing = { [path]: "import 'vitest'\nimport '@postern/core'\nimport '@postern/testkit'" }
    expect(problemsOf(testing)).toEqual([`undeclared-imports: ${path} → @postern/testkit`])
    expect(
      problemsOf({
        ...testing,
        ...core({ ...uses('protocol'), devDependencies: { '@postern/testkit': '0.1.0' } }),
      }),
    ).toEqual([])
  })
})
