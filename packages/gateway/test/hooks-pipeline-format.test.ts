// The format `pipeline`: the bodies, and the texts of the messages.
import { contentLimits } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { readPipeline as readPipelineIn } from '../src/hooks/formats/pipeline.ts'
import { splitText } from '../src/hooks/texts/split.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

const readPipeline = (payload: unknown) => readPipelineIn(payload, wordsIn.ru.pipeline)

type Json = Record<string, unknown>

const event = (run: Json = {}, more: Json = {}): Json => ({
  object_kind: 'pipeline',
  object_attributes: {
    id: 31,
    ref: 'main',
    tag: false,
    sha: 'bcbb5ec396a2c0f828686f14fac9b80b780504f2',
    status: 'failed',
    source: 'push',
    url: 'https://git.example.org/shop/cart/-/pipelines/31',
    ...run,
  },
  merge_request: null,
  user: { name: 'Bob', username: 'bob' },
  project: { id: 7, name: 'Cart', path_with_namespace: 'shop/cart', web_url: 'https://git.example.org/shop/cart' },
  commit: {
    id: 'bcbb5ec396a2c0f828686f14fac9b80b780504f2',
    title: 'Count twice',
    message: 'Count twice\n\nand more',
    author: { name: 'Alice', email: 'alice@example.org' },
  },
  builds: [
    { name: 'lint', status: 'failed', allow_failure: true },
    { name: 'unit', status: 'failed', allow_failure: false },
    { name: 'build', status: 'success', allow_failure: false },
  ],
  ...more,
})

const around = ['Ветка: main', 'Коммит: bcbb5ec3 Count twice', 'Автор: Alice']
const link = 'https://git.example.org/shop/cart/-/pipelines/31'

const texts: [string, Json, string[]][] = [
  ['failed', event(), ['❌ Пайплайн упал: shop/cart', ...around, 'Упало задание: unit', link]],
  ['canceled', event({ status: 'canceled' }), ['🚫 Пайплайн отменён: shop/cart', ...around, link]],
  ['success', event({ status: 'success' }), ['✅ Исправлено: shop/cart, пайплайн снова проходит', ...around, link]],
  [
    'a tag',
    event({ tag: true, ref: 'v1.0' }, { builds: [] }),
    ['❌ Пайплайн упал: shop/cart', 'Тег: v1.0', ...around.slice(1), link],
  ],
  [
    'a merge request',
    event(
      { ref: 'refs/merge-requests/12/head', source: 'merge_request_event' },
      { merge_request: { iid: 12, title: 'Count', source_branch: 'count', target_branch: 'main' }, builds: null },
    ),
    ['❌ Пайплайн упал: shop/cart', 'Мерж-реквест: !12 Count', 'Ветка: count → main', ...around.slice(1), link],
  ],
  [
    'no commit',
    event({}, { commit: null, builds: null }),
    ['❌ Пайплайн упал: shop/cart', 'Ветка: main', 'Коммит: bcbb5ec3', 'Автор: Bob', link],
  ],
  [
    'a commit without a title',
    event({}, { commit: { message: '\nFirst line\nsecond' }, builds: [], user: null }),
    ['❌ Пайплайн упал: shop/cart', 'Ветка: main', 'Коммит: bcbb5ec3 First line', link],
  ],
  [
    'no address',
    event({ url: null }, { builds: [] }),
    ['❌ Пайплайн упал: shop/cart', ...around, 'https://git.example.org/shop/cart/-/pipelines/31'],
  ],
  [
    'an address that is none',
    event({ url: 'javascript:alert(1)', id: null }, { builds: [] }),
    ['❌ Пайплайн упал: shop/cart', ...around],
  ],
  [
    'no path of the project',
    event({}, { project: { name: 'Cart' }, builds: [] }),
    ['❌ Пайплайн упал: Cart', ...around, link],
  ],
  [
    'nothing but a status',
    { object_kind: 'pipeline', object_attributes: { status: 'failed' } },
    ['❌ Пайплайн упал: проект без названия'],
  ],
  [
    'null everywhere',
    { object_kind: 'pipeline', object_attributes: { status: 'canceled', ref: null }, project: null, commit: null },
    ['🚫 Пайплайн отменён: проект без названия'],
  ],
  [
    'many failed jobs, some of one name',
    event({}, { builds: ['a', 'a', ...'bcdefghijklm'].map(name => ({ name, status: 'failed' })) }),
    ['❌ Пайплайн упал: shop/cart', ...around, 'Упали задания: a, b, c, d, e, f, g, h, i, j, k, l, m', link],
  ],
]

describe('texts', () => {
  test.each(texts)('[GATEWAY-10.12] %s', (_, payload, lines) => {
    expect(readPipeline(payload)?.text.split('\n')).toEqual(lines)
  })
})

test('[GATEWAY-10.15] titles and names stand there whole, and what does not fit goes on behind them', () => {
  const long = (chars: number) =>
    event(
      { ref: 'b'.repeat(chars), url: `https://git.example.org/${'u'.repeat(1500)}` },
      { commit: { id: 'bcbb5ec396', title: 't'.repeat(chars), author: { name: 'n'.repeat(chars) } } },
    )
  expect(readPipeline(long(600))?.text.split('\n')).toEqual([
    '❌ Пайплайн упал: shop/cart',
    `Ветка: ${'b'.repeat(600)}`,
    `Коммит: bcbb5ec3 ${'t'.repeat(600)}`,
    `Автор: ${'n'.repeat(600)}`,
    'Упало задание: unit',
    `https://git.example.org/${'u'.repeat(1500)}`,
  ])
  const [first = '', ...rest] = splitText(readPipeline(long(3000))?.text ?? '', contentLimits.textCharsMax)
  expect(first).toMatch(
    new RegExp(
      '^❌ .*\\nВетка: b+…\\nКоммит: bcbb5ec3 t+…\\nАвтор: n+…\\nУпало задание: unit\\nhttps://git.example.org/u{1500}\\n$',
      'u',
    ),
  )
  const told = `${first}${rest.join('')}`
  expect(['b', 't', 'n'].map(letter => told.match(new RegExp(`${letter}{20,}`, 'g'))?.join('').length)).toEqual([
    3000, 3000, 3000,
  ])
})

describe('what is no news', () => {
  const waiting = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'skipped', 'manual']
  test.each([...waiting, 'scheduled', 'canceling', 'toString', '', 5, null])(
    '[GATEWAY-10.12] the status %s',
    status => {
      expect(readPipeline(event({ status }))).toBeUndefined()
    },
  )

  test.each([
    ['a push', { object_kind: 'push' }],
    ['a job', { object_kind: 'build' }],
    ['nothing', {}],
    ['a pipeline without attributes', { object_kind: 'pipeline' }],
  ])('[GATEWAY-10.12] %s', (_, payload) => {
    expect(readPipeline(payload)).toBeUndefined()
  })

  test.each([[[]], ['x'], [5], [null]])('[GATEWAY-10.12] %j is refused', payload => {
    expect(() => readPipeline(payload)).toThrow('body: must be a JSON object.')
  })
})

test('[GATEWAY-10.13] project, branch, tag and merge request are lines of their own', () => {
  const lines = [
    event(),
    event({ ref: 'other' }),
    event({ tag: true }),
    event({}, { merge_request: { iid: 1 } }),
    event({}, { merge_request: { iid: 2 } }),
    event({}, { project: { id: 8 } }),
    event({}, { project: { path_with_namespace: 'shop/cart' } }),
    event({}, { project: null }),
    event({ ref: { deep: [] } }),
  ].map(payload => readPipeline(payload)?.line)
  expect(new Set(lines).size).toBe(lines.length)
  expect(readPipeline(event({ status: 'success', id: 99 }))?.line).toBe(lines[0])
  expect(readPipeline(event({}, { merge_request: { iid: null } }))?.line).toBe(lines[0])
})
