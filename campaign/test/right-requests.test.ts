// The fuzzer asks every endpoint of the table: one that it never asks would be new and untried.
import { readFileSync } from 'node:fs'
import { type EndpointName, endpoints } from '@postern/bot-api'
import { SeededRandom } from '@postern/testkit'
import { expect, test } from 'vitest'
import { KnownMessages } from '../src/fuzz/known.ts'
import { rightRequest } from '../src/fuzz/right-requests.ts'
import { telegramMethods, telegramRequest } from '../src/fuzz/right-telegram.ts'

/** Many times as many as there are endpoints: the rarest is one of about 650. */
const DRAWS = 20_000

const messages = new KnownMessages()
for (const kind of ['text', 'poll', 'file'] as const) messages.add(kind, { chat: 'a-chat', id: 'a-message' })
const known = {
  token: 'a-token',
  alice: 'a'.repeat(32),
  chats: ['a-chat'],
  messages,
  telegramMessages: messages,
  presses: ['a-press'],
  hooks: [{ secret: 'a-secret', format: 'text' as const }],
  spareHooks: ['a-hook'],
  spareInvites: ['an-invite'],
  spareTokens: ['a-spare-token'],
}

test('every endpoint of the table is asked, by its method and with all its parameters', () => {
  const random = new SeededRandom(1)
  const asked = Array.from({ length: DRAWS }, () => rightRequest(known, random))
  expect(new Set(asked.map(({ name }) => name))).toEqual(new Set(Object.keys(endpoints) as EndpointName[]))
  for (const { name, method, path, params } of asked) {
    expect([method, path]).toEqual([endpoints[name].method, endpoints[name].path])
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param)
    expect([name, ...Object.keys(params).toSorted()]).toEqual([name, ...wanted.toSorted()])
  }
})

test('every method of the Telegram Bot API is asked, and its files', () => {
  const page = readFileSync(new URL('../../docs/telegram.md', import.meta.url), 'utf8')
  const table = [...page.matchAll(/^\| `(\w+)` \| (?:full|partly|no effect) \|/gm)].map(([, name = '']) => name)
  expect(table.length).toBeGreaterThan(40)
  expect(Object.keys(telegramMethods).toSorted()).toEqual(table.toSorted())
  const random = new SeededRandom(1)
  const asked = Array.from({ length: DRAWS }, () => telegramRequest(known, random))
  expect(new Set(asked.map(({ params }) => params['method'] ?? 'a file'))).toEqual(new Set([...table, 'a file']))
  for (const { path, params } of asked)
    expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(Object.keys(params))
})
