// The format `alerts`: the bodies, and the texts of the messages.
import { readFileSync } from 'node:fs'
import { charCount, contentLimits } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { readAlerts as readAlertsIn } from '../src/hooks/formats/alerts.ts'
import { splitText } from '../src/hooks/texts/split.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

const readAlerts = (payload: unknown) => readAlertsIn(payload, wordsIn.ru.alerts)

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./fixtures/alerts/${name}.json`, import.meta.url), 'utf8'))

type Parts = { status?: string; labels?: object; annotations?: object; fingerprint?: string }

const alert = ({ status = 'firing', labels = {}, annotations = {}, fingerprint = 'f' }: Parts = {}) => ({
  status,
  labels,
  annotations,
  fingerprint,
})
const body = (alerts: unknown[], more: object = {}) => ({
  version: '4',
  status: 'firing',
  groupKey: '{}:{}',
  commonLabels: { alertname: 'HighLoad' },
  alerts,
  ...more,
})
const many = (count: number, parts: Parts = {}) =>
  Array.from({ length: count }, (_, at) =>
    alert({ annotations: { summary: `load of node ${at + 1}` }, ...parts, fingerprint: String(at) }),
  )

const full = {
  labels: { alertname: 'HighLoad', severity: 'critical', instance: 'node-1:9100', namespace: 'shop', pod: 'cart-0' },
  annotations: { summary: 'load is high', description: 'for ten minutes' },
}
const without = (...names: string[]) => ({
  labels: Object.fromEntries(Object.entries(full.labels).filter(([name]) => !names.includes(name))),
  annotations: Object.fromEntries(Object.entries(full.annotations).filter(([name]) => !names.includes(name))),
})

const lines: [string, Parts, string][] = [
  ['everything there', full, 'load is high (critical, node-1:9100)'],
  ['no summary', without('summary'), 'for ten minutes (critical, node-1:9100)'],
  ['no words at all', without('summary', 'description'), 'HighLoad (critical, node-1:9100)'],
  ['no severity', without('severity'), 'load is high (node-1:9100)'],
  ['no instance', without('instance'), 'load is high (critical, shop/cart-0)'],
  ['a namespace alone', without('instance', 'pod'), 'load is high (critical, shop)'],
  ['a pod alone', without('instance', 'namespace'), 'load is high (critical, cart-0)'],
  ['no place', without('instance', 'pod', 'namespace'), 'load is high (critical)'],
  ['no place and no severity', without('instance', 'pod', 'namespace', 'severity'), 'load is high'],
  ['nothing', {}, 'без описания'],
  ['null everywhere', { labels: { severity: null }, annotations: { summary: null } }, 'без описания'],
  ['numbers for words', { annotations: { summary: 5 }, labels: { severity: 1 } }, '5 (1)'],
  ['objects for words', { annotations: { summary: {} }, labels: { severity: [] } }, 'без описания'],
  ['lines in a summary', { annotations: { summary: 'one\n\ntwo\r\n three' } }, 'one two three'],
  ['a summary of 4000 characters', { annotations: { summary: 'y'.repeat(4000) } }, 'y'.repeat(4000)],
  [
    'long words everywhere',
    {
      annotations: { summary: 's'.repeat(900) },
      labels: { severity: 'v'.repeat(900), namespace: 'n'.repeat(900), pod: 'p'.repeat(900) },
    },
    `${'s'.repeat(900)} (${'v'.repeat(900)}, ${'n'.repeat(900)}/${'p'.repeat(900)})`,
  ],
]

describe('lines', () => {
  test.each(lines)('[GATEWAY-10.9] %s', (_, parts, line) => {
    expect(readAlerts(body([alert(parts)])).text).toBe(`🔥 HighLoad: 1 срабатывание\n${line}`)
  })
})

const heads: [string, unknown, string][] = [
  ['1', body(many(1)), '🔥 HighLoad: 1 срабатывание'],
  ['2', body(many(2)), '🔥 HighLoad: 2 срабатывания'],
  ['5', body(many(5)), '🔥 HighLoad: 5 срабатываний'],
  ['11', body(many(11)), '🔥 HighLoad: 11 срабатываний'],
  ['21', body(many(21)), '🔥 HighLoad: 21 срабатывание'],
  ['500', body(many(500)), '🔥 HighLoad: 500 срабатываний'],
  ['truncated by the sender', body(many(10), { truncatedAlerts: 13 }), '🔥 HighLoad: 23 срабатывания'],
  ['mixed', body([...many(3), ...many(2, { status: 'resolved' })]), '🔥 HighLoad: 3 срабатывания, устранено: 2'],
  [
    'the name of its group',
    body(many(1), { commonLabels: {}, groupLabels: { alertname: 'Down' } }),
    '🔥 Down: 1 срабатывание',
  ],
  [
    'the name of its alerts',
    body([alert({ labels: { alertname: 'Own' } })], { commonLabels: null }),
    '🔥 Own: 1 срабатывание',
  ],
  [
    'several names',
    body(
      ['A', 'B', 'C', 'D', 'D'].map(alertname => alert({ labels: { alertname } })),
      { commonLabels: {} },
    ),
    '🔥 A, B, C и ещё 1: 5 срабатываний',
  ],
  ['no name', body(many(1), { commonLabels: {} }), '🔥 Без названия: 1 срабатывание'],
  ['no status', body(many(2), { status: undefined }), '🔥 HighLoad: 2 срабатывания'],
  [
    'no status, all resolved',
    body(many(2, { status: 'resolved' }), { status: 5 }),
    '✅ Устранено: HighLoad, 2 срабатывания',
  ],
  ['resolved', body(many(1, { status: 'resolved' }), { status: 'resolved' }), '✅ Устранено: HighLoad, 1 срабатывание'],
  ['a version as a number', { ...body(many(1)), version: 4 }, '🔥 HighLoad: 1 срабатывание'],
]

describe('the first line', () => {
  test.each(heads)('[GATEWAY-10.9] %s', (_, payload, head) => {
    expect(readAlerts(payload).text.split('\n')[0]).toBe(head)
  })
})

test.each([
  [10, undefined],
  [11, '…и ещё 1 срабатывание'],
  [12, '…и ещё 2 срабатывания'],
  [25, '…и ещё 15 срабатываний'],
])('[GATEWAY-10.9] of %i alerts ten are shown, then how many more', (count, more) => {
  const shown = readAlerts(body(many(count)))
    .text.split('\n')
    .slice(1)
  expect(shown.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, at) => `load of node ${at + 1}`))
  expect(shown[10]).toBe(more)
  expect(shown.length).toBeLessThanOrEqual(11)
})

test('[GATEWAY-10.51] of more than 5,000 alerts the rest is counted, not read', () => {
  const read = readAlerts(
    body([...many(5_000), ...many(2, { annotations: { summary: 'never read' } })], { truncatedAlerts: 3 }),
  )
  expect(read.text).toContain('🔥 HighLoad: 5005 срабатываний')
  expect(read.text).toContain('и ещё 4995')
  expect(read.identity.split('\n')).toHaveLength(3 + 5_000)
  const resolved = readAlerts(body(many(5_002, { status: 'resolved' }), { status: 'resolved' }))
  expect(resolved.text).toContain('5002')
})

test('[GATEWAY-10.9] in a mixed body what fires comes first, and what is resolved is marked', () => {
  const resolved = many(2, { status: 'resolved', annotations: { summary: 'is over' } })
  expect(readAlerts(body([...resolved, ...many(1)])).text).toBe(
    '🔥 HighLoad: 1 срабатывание, устранено: 2\nload of node 1\n✅ is over\n✅ is over',
  )
})

test('[GATEWAY-10.9] what is resolved names each alert like what fires: ten, then how many more', () => {
  const payload = (count: number) =>
    body(many(count, { status: 'resolved' }), { status: 'resolved', truncatedAlerts: 1 })
  expect(readAlerts(payload(1)).text.split('\n').slice(1)).toEqual(['load of node 1', '…и ещё 1 срабатывание'])
  const shown = readAlerts(payload(12)).text.split('\n').slice(1)
  expect([shown.length, shown[9], shown[10]]).toEqual([11, 'load of node 10', '…и ещё 3 срабатывания'])
})

test.each<[number, number, string]>([
  [8, 4, '…и ещё устранено: 2'],
  [10, 3, '…и ещё устранено: 3'],
  [12, 3, '…и ещё 2 срабатывания, устранено: 3'],
])('[GATEWAY-10.9] of %i that fire and %i that are resolved, the rest by its states', (firing, resolved, more) => {
  const { text } = readAlerts(body([...many(firing), ...many(resolved, { status: 'resolved' })]))
  expect(text.split('\n').slice(11)).toEqual([more])
})

test('[GATEWAY-10.9] real bodies of Alertmanager', () => {
  expect(readAlerts(fixture('firing-1')).text).toBe(
    '🔥 InstanceDown: 1 срабатывание\nInstanceDown on node-1 (warning, node-01.example.test:9100)',
  )
  expect(readAlerts(fixture('resolved-1')).title).toBe('✅ Устранено: InstanceDown, 1 срабатывание')
  expect(readAlerts(fixture('resolved-1')).text).toBe(
    '✅ Устранено: InstanceDown, 1 срабатывание\nInstanceDown on node-1 (warning, node-01.example.test:9100)',
  )
  expect(readAlerts(fixture('resolved-1')).key).toBe(readAlerts(fixture('firing-1')).key)
  const text = readAlerts(fixture('firing-many-25')).text.split('\n')
  expect([text[0], text.length, text.at(-1)]).toEqual(['🔥 HighLoad: 25 срабатываний', 12, '…и ещё 15 срабатываний'])
  expect(readAlerts(fixture('all-resolved-many')).title).toMatch(/^✅ Устранено: HighLoad, \d+ срабатываний$/)
})

describe('what is refused', () => {
  test.each<[string, unknown, string]>([
    ['version 3', { ...body(many(1)), version: '3' }, 'version: must be 4.'],
    ['no version', { alerts: many(1) }, 'version: must be 4.'],
    [
      'a version that cannot become a text',
      { ...body(many(1)), version: { toString: null, valueOf: null } },
      'version: must be 4.',
    ],
    ['no alerts', { version: '4' }, 'alerts: must have at least one alert.'],
    ['alerts that are none', body([1, 'x', null, []]), 'alerts: must have at least one alert.'],
    ['a list', [], 'body: must be a JSON object.'],
    ['null', null, 'body: must be a JSON object.'],
    ['a text', 'x', 'body: must be a JSON object.'],
  ])('[GATEWAY-10.9] %s', (_, payload, sentence) => {
    expect(() => readAlerts(payload)).toThrow(sentence)
  })
})

describe('what makes two bodies equal', () => {
  const first = readAlerts(body(many(3)))
  test.each<[string, unknown, boolean]>([
    ['another order', body(many(3).toReversed()), true],
    ['other words', body(many(3, { annotations: { summary: 'x' } })), true],
    ['one alert more', body(many(4)), false],
    ['one is resolved', body([...many(2), alert({ status: 'resolved', fingerprint: '2' })]), false],
    ['another group', body(many(3), { groupKey: 'other' }), false],
    ['all resolved', body(many(3), { status: 'resolved' }), false],
  ])('[GATEWAY-10.11] %s', (_, payload, isEqual) => {
    expect(readAlerts(payload).identity === first.identity).toBe(isEqual)
  })

  test('[GATEWAY-10.11] without fingerprints and group key, labels tell them apart', () => {
    const of = (name: string) =>
      readAlerts({ version: '4', groupLabels: { name }, alerts: [{ labels: { name, at: 1 } }] })
    expect(of('a').identity).toBe(of('a').identity)
    expect(of('a').key).not.toBe(of('b').key)
  })
})

describe('what does not fit into one message', () => {
  const marked = (at: number, chars: number) => `${at}${'🙂'.repeat(chars)}${at}`
  const tall = (count: number, chars: number) =>
    body(
      Array.from({ length: count }, (_, at) =>
        alert({
          labels: { severity: 'critical', instance: `node-${at}` },
          annotations: { summary: marked(at, chars) },
        }),
      ),
    )

  test('[GATEWAY-10.15] is shortened in the first one, where every line keeps its end, and goes on in the next', () => {
    const parts = splitText(readAlerts(tall(3, 3000)).text, contentLimits.textCharsMax)
    const [first = '', ...rest] = parts
    expect(first.split('\n').filter(line => line !== '')).toEqual([
      '🔥 HighLoad: 3 срабатывания',
      ...[0, 1, 2].map(at => expect.stringMatching(new RegExp(`^${at}(🙂){1300,}… \\(critical, node-${at}\\)$`, 'u'))),
    ])
    // Nothing is lost: the cut text is in the messages that follow, each part after the mark of a continued line.
    const told = [...first.matchAll(/🙂/gu), ...rest.join('').matchAll(/🙂/gu)].length
    expect([told, rest.join('').match(/…|\d$/gmu)?.length]).toEqual([9000, 6])
    expect(parts.every(part => charCount(part) <= contentLimits.textCharsMax)).toBe(true)
  })

  test('[GATEWAY-10.15] ten lines of any length lose nothing', () => {
    const { text } = readAlerts(tall(10, 5000))
    expect([...text.matchAll(/🙂/gu)]).toHaveLength(50_000)
    const [first = ''] = splitText(text, contentLimits.textCharsMax)
    for (let at = 0; at < 10; at++) expect(first).toContain(`… (critical, node-${at})`)
  })

  test('[GATEWAY-10.15] a name and a place of any length', () => {
    const labels = { alertname: 'n'.repeat(9000), instance: 'i'.repeat(9000) }
    const group = readAlerts(body([alert({ labels })], { commonLabels: labels }))
    expect(group.text.replaceAll(/[^ni]/g, '')).toHaveLength(27_000)
    expect(group.text.split('\n')[0]).toMatch(/^🔥 n+…: 1 срабатывание$/)
    expect(group.title.replaceAll(/[^n]/g, '')).toHaveLength(9000)
  })
})
