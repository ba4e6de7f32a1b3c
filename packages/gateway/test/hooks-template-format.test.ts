// The language of templates: what each part gives, what is refused with which words, and what a body cannot do.
import { hookLimits, isCoded } from '@postern/protocol'
import { hostileValues, sampleBodies } from '@postern/testkit/hook-samples'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { describe, expect, test } from 'vitest'
import { formats } from '../src/hooks/formats/formats.ts'
import { parseTemplate } from '../src/hooks/templates/parse-template.ts'
import { renderTemplate } from '../src/hooks/templates/render-template.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

const render = (source: string, body: unknown): string => renderTemplate(parseTemplate(source), body)
const limits = hookLimits.template

const body = {
  status: 'firing',
  alert: { name: 'High memory', note: '' },
  count: 2,
  none: null,
  yes: true,
  no: false,
  zero: 0,
  spaced: '  a ',
  at: '2026-11-18T21:53:07+03:00',
  seconds: 1_794_830_400,
  tags: ['db', 5, '', null, { a: 1 }],
  items: [{ title: 'one', tags: ['x', 'y'] }, { title: 'two', status: 'own' }, { title: 'three' }],
  rows: [
    ['a', 'b'],
    ['c', 'd'],
  ],
  empty: [],
  'x-id': 7,
  имя: 'Алиса',
}

describe('the language', () => {
  test.each([
    ['just text { } %', 'just text { } %'],
    ['{{status}} {{ alert.name }} {{count}}', 'firing High memory 2'],
    ['{{x-id}} {{имя}} {{rows.1.0}}', '7 Алиса c'],
    ['[{{missing}}{{alert.no.where}}{{none}}{{alert}}{{items}}{{status.length}}]', '[]'],
    ['{{yes}} {{no}} {{zero}}', 'true false 0'],
    ['{{#if yes}}y{{else}}n{{/if}}{{#if count}}y{{/if}}{{#if alert}}y{{/if}}', 'yyy'],
    ['{{#if no}}y{{/if}}{{#if zero}}y{{/if}}{{#if alert.note}}y{{/if}}{{#if empty}}y{{/if}}{{#if none}}y{{/if}}', ''],
    ['{{#unless missing}}n{{else}}y{{/unless}}', 'n'],
    ['{{#each items}}{{@index}} {{title}} {{status}};{{/each}}', '0 one firing;1 two own;2 three firing;'],
    ['{{#each items limit:2}}{{title}} {{#if @rest}}+{{@rest}}{{/if}}{{/each}}', 'one two +1'],
    ['{{#each items limit:3}}{{@rest}}{{/each}}', '000'],
    ['{{#each empty}}x{{else}}none{{/each}}{{#each status}}x{{else}}none{{/each}}', 'nonenone'],
    ['{{#each rows}}{{0}}-{{1}} {{/each}}', 'a-b c-d'],
    ['{{#each items limit:1}}{{#each tags}}{{title}}{{@index}} {{/each}}{{/each}}', 'one0 one1'],
    ['{{alert.name | cut:6}} {{alert.name | cut:11}} {{status | cut:1}}', 'High… High memory …'],
    ['{{missing | default:"0"}} {{alert.note | default:"}} -"}} {{zero | default:"x"}}', '0 }} - 0'],
    ['{{status | map:"firing=🔥,resolved=✅"}} {{count | map:"2=a=b"}} {{no | map:"x=y"}}', '🔥 a=b false'],
    ['{{status | upper}} {{alert.name | lower}} [{{spaced | trim}}]', 'FIRING high memory [a]'],
    ['{{at | date}}, {{seconds | date}}, {{status | date}}', '2026-11-18 18:53 UTC, 2026-11-16 12:00 UTC, firing'],
    ['{{items | count}} {{alert | count}} {{status | count}} {{missing | count}}', '3 2 0 0'],
    ['{{tags | join}}; {{rows.0 | join:"\n"}}; {{status | join:"-"}}', 'db, 5; a\nb; firing'],
    [
      '{{alert | json}} {{tags | json}} {{missing | json}}',
      '{"name":"High memory","note":""} ["db",5,"",null,{"a":1}]',
    ],
    ['{{count}} {{count | plural:"alert,alerts"}}', '2 alerts'],
    ['{{count | plural:"хук,хука,хуков"}} {{items.1 | count | plural:"хук,хука,хуков"}}', 'хука хука'],
    ['{{missing | plural:"хук,хука,хуков"}} {{seconds | plural:"one,many"}}', 'хуков many'],
    ['{{missing | default:"a" | upper | map:"A=b"}}', 'b'],
  ])('[GATEWAY-10.45] %s', (source, text) => {
    expect(render(source, body)).toBe(text)
  })

  test('[GATEWAY-10.45] the template of the guide', () => {
    const source = '{{state | map:"down=🔴,up=🟢"}} {{host.name}}{{#each checks limit:3}} · {{title | cut:40}}{{/each}}'
    expect(render(source, { state: 'down', host: { name: 'db-1' }, checks: [{ title: 'disk' }] })).toBe(
      '🔴 db-1 · disk',
    )
  })

  test('[GATEWAY-10.45] a body that is a list', () => {
    expect(render('{{0.a}} {{1}} {{length}}', [{ a: 'x' }, 'y'])).toBe('x y')
  })
})

const deep = '{{#if a}}'.repeat(limits.depthMax + 1)

const refused: [string, string][] = [
  ['a\nb {{x', 'line 2, column 3: must end this tag with }}'],
  ['{{x | default:"}}', 'line 1, column 1: must end this tag with }}'],
  ['{{}}', 'line 1, column 3: must have a path here, as in alert.name'],
  ['{{a..b}}', 'line 1, column 4: this character has no meaning here'],
  ['{{a b}}', 'line 1, column 5: this must not be here'],
  ['{{a()}}', 'line 1, column 4: this character has no meaning here'],
  ['{{{a}}}', 'line 1, column 3: this character has no meaning here'],
  ['{{> partial}}', 'line 1, column 3: this character has no meaning here'],
  ['{{a | }}', 'line 1, column 5: must have a filter after |, as in | cut:80'],
  [
    '😀{{a | constructor}}',
    'line 1, column 8: a filter must be one of cut, default, map, upper, lower, trim, date, count, join, json, plural',
  ],
  ['{{a | cut}}', 'line 1, column 7: cut must have a number from 1 to 16384, as in cut:80'],
  ['{{a | cut:0}}', 'line 1, column 7: cut must have a number from 1 to 16384, as in cut:80'],
  ['{{a | cut:-1}}', 'line 1, column 10: must have a number or a text in quotes after :'],
  ['{{a | default:0}}', 'line 1, column 7: default must have a text in quotes, as in default:"0"'],
  ['{{a | map:"x"}}', 'line 1, column 7: map must have pairs in quotes, as in map:"firing=🔥,resolved=✅"'],
  ['{{a | upper:"x"}}', 'line 1, column 7: this filter must have no argument'],
  ['{{a | join:5}}', 'line 1, column 7: join must have a text in quotes, as in join:", "'],
  [
    '{{a | plural:"x"}}',
    'line 1, column 7: plural must have two or three forms in quotes, as in plural:"alert,alerts"',
  ],
  ['{{#with a}}', 'line 1, column 3: a block must be one of if, unless, each'],
  ['{{#each}}', 'line 1, column 3: must have a path here, as in alert.name'],
  ['{{#each a limit:0}}', 'line 1, column 11: limit must have a number from 1 to 1000, as in limit:10'],
  ['{{#if a limit:5}}', 'line 1, column 9: this must not be here'],
  ['x\n{{#if a}}y', 'line 2, column 1: must close this block with {{/if}}'],
  ['{{#if a}}{{#each b}}{{/if}}', 'line 1, column 21: must close {{#each}} first'],
  ['{{/if}}', 'line 1, column 1: must have a block to close'],
  ['{{else}}', 'line 1, column 1: must have {{else}} once, and only in a block'],
  ['{{#if a}}{{else}}{{else}}{{/if}}', 'line 1, column 18: must have {{else}} once, and only in a block'],
  ['{{@index}}', 'line 1, column 1: must have @index only in {{#each}}'],
  ['{{#each a}}{{else}}{{@rest}}{{/each}}', 'line 1, column 20: must have @rest only in {{#each}}'],
  ['{{@root}}', 'line 1, column 3: must have a path here, as in alert.name'],
  [deep, `line 1, column ${9 * limits.depthMax + 1}: must have at most 8 blocks in each other`],
  ['{{a}}'.repeat(1001), 'line 1, column 5001: must have at most 1000 texts, tags and filters'],
  [`{{a${'|trim'.repeat(1000)}}}`, 'line 1, column 1: must have at most 1000 texts, tags and filters'],
  ['я'.repeat(4097), 'must have at most 8192 bytes'],
]

test.each(refused.map(([source, rule]) => ({ rule, source })))('[GATEWAY-10.46] refused: $rule', ({ source, rule }) => {
  expect(() => parseTemplate(source)).toThrow(`template: ${rule}.`)
})

describe('a body', () => {
  test('[GATEWAY-10.47] has its own fields alone', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'valueOf', 'map']
    for (const name of names)
      for (const path of [name, `a.${name}`, `list.${name}`, `text.${name}`, `${name}.${name}.name`])
        expect(render(`{{${path}}}{{#if ${path}}}!{{/if}}{{${path} | json}}`, { a: {}, list: [1], text: 'x' })).toBe('')
    const evil = JSON.parse('{"a":{"__proto__":{"admin":"yes"}}}') as unknown
    expect(render('{{a.admin}}{{admin}}', evil)).toBe('')
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
  })

  test('[GATEWAY-10.47] does not begin a line, reorder it, or write a tag', () => {
    const text = 'a\n🔥 b\r\nc\u2028d\u0000\u001b[2J\u202ee {{status}} {{#each x}} \ud83d'
    const shown = 'a 🔥 b c d[2Je {{status}} {{#each x}} \ufffd'
    const posted = { text, list: [text], object: { [text]: text }, status: 'no' }
    expect(render('{{text}}', posted)).toBe(shown)
    expect(render('{{list | join}}', posted)).toBe(shown)
    expect(render('{{object | json}}{{list | json}}', posted)).toBe(`{"${shown}":"${shown}"}["${shown}"]`)
  })

  test('[GATEWAY-10.48] a rendering that takes too much is refused, with the reason', () => {
    const steps = `template: must take at most ${limits.stepsMax} steps, and takes more for this body.`
    const chars = `template: must write at most ${limits.outputCharsMax} characters, and writes more for this body.`
    const list = Array.from({ length: 100 }, () => 1)
    expect(() => render('{{#each a}}{{#each a}}{{#each a}}{{/each}}{{/each}}{{/each}}', { a: list })).toThrow(steps)
    expect(() => render('{{#each a}}{{/each}}', { a: Array(limits.stepsMax + 1).fill(0) })).toThrow(steps)
    expect(render('{{#each a limit:2}}x{{/each}}', { a: Array(limits.stepsMax + 1).fill(0) })).toBe('xx')
    const long = 'y'.repeat(1_000_000)
    expect(render('{{a | cut:3}}', { a: long })).toBe('yy…')
    expect(() => render('{{a | upper | lower | cut:3}}'.repeat(4), { a: long })).toThrow(steps)
    expect(() => render('{{#if a}}{{/if}}'.repeat(6), { a: long })).toThrow(steps)
    expect(() => render('{{a}}', { a: 'y'.repeat(limits.outputCharsMax + 1) })).toThrow(chars)
    expect(render('{{a}}', { a: '😀'.repeat(limits.outputCharsMax) })).toHaveLength(2 * limits.outputCharsMax)
    const nested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
    expect(() => render('{{a | json}}', { a: nested })).toThrow('must not write JSON of more than 32 levels')
    const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, 1]))
    expect(render('{{a | count}}', { a: keys })).toBe('50000')
    expect(() => render('{{a | count}}'.repeat(20), { a: keys })).toThrow(steps)
    const glued = `{{a | join:"${'z'.repeat(8000)}"}}`
    expect(() => render(glued, { a: [list, list, list, list].flat() })).toThrow(steps)
  })
})

const seed = seedFrom('POSTERN_TEMPLATE_SEED')
const times = timesFrom('POSTERN_TEMPLATES', { change: 5000, campaign: 200_000 })
const pieces = [
  ...['{{', '}}', '{{#if ', '{{#each ', '{{#unless ', '{{else}}', '{{/if}}', '{{/each}}', '{{/unless}}', '|', ':', '"'],
  ...['a', 'list', 'a.b', '0', '@index', '@rest', ' limit:3', ' ', '\n', '😀', '\u202e', '\ud83d', '__proto__', '.'],
  ...[
    'cut:3',
    'default:"x"',
    'map:"a=b"',
    'upper',
    'date',
    'count',
    'join:","',
    'json',
    'plural:"a,b"',
    '\\',
    '{',
    '}',
  ],
]
const filters = ['cut:3', 'default:"x"', 'map:"a=b,c=d"', 'upper', 'lower', 'trim', 'date', 'count', 'join', 'json']
const paths = ['a', 'list', 'a.b', 'list.0', 'text', 'alerts', 'labels', 'status', 'title', '__proto__', 'constructor']

/** Any pieces in any order, which hardly ever parse. */
const noise = (random: SeededRandom): string =>
  Array.from({ length: random.below(14) }, () => random.of(pieces)).join('')

/** A template that parses, if it is not too deep. */
function grown(random: SeededRandom, depth = 0): string {
  const path = random.of(paths)
  const part = () => grown(random, depth + 1)
  switch (random.below(depth > 8 ? 2 : 7)) {
    case 0:
      return random.of(['x', '🔥 ', '\n', 'Привет', ''])
    case 1:
      return `{{${path}${Array.from({ length: random.below(4) }, () => ` | ${random.of(filters)}`).join('')}}}`
    case 2:
      return `{{#if ${path}}}${part()}{{else}}${part()}{{/if}}`
    case 3:
      return `{{#each ${path}${random.of(['', ' limit:2'])}}}${part()}{{@index}}{{@rest}}{{/each}}`
    case 4:
      return `{{#unless ${path}}}${part()}{{/unless}}`
    default:
      return part() + part()
  }
}

test('[GATEWAY-10.48] every template and body is rendered or refused with a clear error, in bounded time', () => {
  const random = new SeededRandom(seed)
  const samples = Object.values(sampleBodies).flat()
  const ends = { rendered: 0, refused: 0 }
  let slowestMs = 0
  for (let at = 0; at < times; at++) {
    const source = random.below(3) === 0 ? noise(random) : grown(random)
    const a = random.of(hostileValues)
    const list = Array.from({ length: random.below(200) }, () => random.of(hostileValues))
    const json = random.below(2) === 0 ? { a, list, text: { b: a }, labels: [list] } : random.of(samples).json
    const startMs = performance.now()
    try {
      const text = render(source, json)
      ends.rendered++
      expect([...text].length).toBeLessThanOrEqual(limits.outputCharsMax)
      expect(text).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
      expect(text.isWellFormed()).toBe(true)
    } catch (error) {
      ends.refused++
      if (!isCoded(error, 'bad-field'))
        throw new Error(`seed ${seed}, template ${at}: ${source.slice(0, 300)}`, { cause: error })
      expect(error.details['field']).toBe('template')
      expect(error.message.length).toBeLessThan(hookLimits.lastErrorUnitsMax)
    }
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
  }
  expect(Math.min(ends.rendered, ends.refused)).toBeGreaterThan(times / 20)
  // Without limits, the loops of a few templates would take minutes.
  expect(slowestMs).toBeLessThan(5000)
})

test('[GATEWAY-10.48] a body that is no JSON, or neither an object nor a list, is refused', () => {
  const read = (text: string, type = 'application/json') =>
    formats.template.read({ text, type }, wordsIn.en, 'x {{a}}').plan(undefined, 0)
  for (const text of ['', '{', '5', '"x"', 'null']) expect(() => read(text)).toThrow(/^body: must be /)
  expect(read('{"a":1}')).toEqual({ kind: 'write', text: 'x 1' })
  expect(read('payload=%7B%22a%22%3A2%7D', 'application/x-www-form-urlencoded')).toEqual({ kind: 'write', text: 'x 2' })
})
