// The architecture check must find what it is there to find: each rule is broken once, in a checkout of a few files.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cruiseModules } from '../architecture/cruise-modules.ts'

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true })
})

const sound = {
  'packages/protocol/package.json':
    '{ "name": "@postern/protocol", "exports": { ".": "./src/index.ts", "./content": "./src/content/index.ts" } }',
  'packages/bot-api/package.json': '{ "name": "@postern/bot-api", "exports": { ".": "./src/index.ts" } }',
  'packages/bot-api/src/index.ts': 'export const endpoints = 1',
  'packages/protocol/src/index.ts': 'export type Id = string',
  'packages/protocol/src/content/index.ts': 'export const content = 1',
  'packages/core/package.json': '{ "name": "@postern/core", "exports": { ".": "./src/index.ts" } }',
  'packages/core/src/index.ts': "import { content } from '@postern/protocol/content'\nexport const core = content",
  'packages/core/src/rim-node.ts': "import { open } from './sqlite-node.ts'\nexport const rim = open",
  'packages/core/src/sqlite-node.ts': "import { readFileSync } from 'node:fs'\nexport const open = readFileSync",
  'packages/relay/src/index.ts': "import type { Id } from '@postern/protocol'\nexport type Relay = Id",
  'packages/gateway/src/http/server.ts': "import '../chats/chats.ts'",
  'packages/gateway/src/chats/chats.ts': "import { core } from '@postern/core'\nexport const chats = core",
  'packages/testkit/package.json': '{ "name": "@postern/testkit", "exports": { ".": "./src/index.ts" } }',
  'packages/testkit/src/index.ts': "import { core } from '@postern/core'\nexport const people = core",
}

const checkout = (changed: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'postern-architecture-'))
  made.push(root)
  for (const [path, text] of Object.entries({ ...sound, ...changed })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  mkdirSync(join(root, 'node_modules/@postern'), { recursive: true })
  for (const name of ['protocol', 'bot-api', 'core', 'testkit'])
    symlinkSync(join(root, 'packages', name), join(root, 'node_modules/@postern', name))
  return root
}

const problemsOf = async (changed: Readonly<Record<string, string>>, modulesMin = 1): Promise<string[]> => {
  const { problems } = await cruiseModules(checkout(changed), modulesMin)
  return problems.map(problem => problem.split('\n')[0] ?? '')
}

test('a sound checkout has no problems', async () => {
  expect(await problemsOf({})).toEqual([])
})

test('a reader that read too little fails', async () => {
  expect(await problemsOf({}, 1_000)).toEqual([expect.stringMatching(/^Only \d+ modules were read/)])
})

test('a package without a line in the table fails', async () => {
  expect(await problemsOf({ 'packages/newcomer/src/index.ts': '' })).toEqual([
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
    ['core-node-behind-its-rim', 'packages/core/src/client.ts', "import './sqlite-node.ts'"],
    ['core-node-behind-its-rim', 'packages/core/src/client.ts', "import type { rim } from './rim-node.ts'"],
    ['core-browser-behind-its-rim', 'packages/core/src/client.ts', "import './sqlite-browser.ts'"],
    ['core-node-builtins-in-node-files', 'packages/core/src/client.ts', "import type { Stats } from 'node:fs'"],
    ['core-node-packages-in-node-files', 'packages/core/src/client.ts', "import 'ws'"],
    ['core-browser-packages-in-browser-files', 'packages/core/src/client.ts', "import '@sqlite.org/sqlite-wasm'"],
    ['gateway-http-at-the-edge', 'packages/gateway/src/chats/open.ts', "import type { FastifyReply } from 'fastify'"],
    ['gateway-domain-below-http', 'packages/gateway/src/bot/bot.ts', "import '../http/server.ts'"],
    ['app-stays-in-the-browser', 'packages/app/src/main.ts', "import '../../core/src/rim-node.ts'"],
  ]
  const around = {
    'packages/core/test/people.ts': '',
    'packages/core/src/sqlite-browser.ts': '',
    'node_modules/ws/package.json': '{ "name": "ws", "main": "index.js" }',
    'node_modules/ws/index.js': '',
    'node_modules/@sqlite.org/sqlite-wasm/package.json': '{ "name": "@sqlite.org/sqlite-wasm", "main": "index.js" }',
    'node_modules/@sqlite.org/sqlite-wasm/index.js': '',
    'node_modules/fastify/package.json': '{ "name": "fastify", "main": "index.js" }',
    'node_modules/fastify/index.js': '',
  }

  test.each(violations)('%s', async (rule, path, text) => {
    expect(await problemsOf({ ...around, [path]: text })).toContainEqual(expect.stringContaining(`${rule}: ${path}`))
  })

  test('no-cycles, also through types alone', async () => {
    const problems = await problemsOf({
      'packages/core/src/chats.ts': "import type { M } from './messages.ts'\nexport type C = M",
      'packages/core/src/messages.ts': "import type { C } from './chats.ts'\nexport type M = C",
    })
    expect(problems).toContain(
      'no-cycles: packages/core/src/chats.ts → packages/core/src/messages.ts → packages/core/src/chats.ts',
    )
  })

  test('no-dead-imports, also behind `using`', async () => {
    const problems = await problemsOf({
      'packages/core/src/client.ts':
        "export const f = async () => { await using it = (await import('./gone.ts')).it; return it }",
    })
    expect(problems).toEqual(['no-dead-imports: packages/core/src/client.ts → ./gone.ts'])
  })

  test('relay-is-blind, also by a detour through what it may use', async () => {
    const problems = await problemsOf({ 'packages/protocol/src/index.ts': "export * from './content/index.ts'" })
    expect(problems).toContainEqual(expect.stringContaining('relay-is-blind: packages/relay/src/index.ts'))
  })
})
