// The format `text`, how texts are split into parts, and how strangers' words are cleaned.
import { charCount } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { readAlerts as readAlertsIn } from '../src/hooks/formats/alerts.ts'
import { readPipeline as readPipelineIn } from '../src/hooks/formats/pipeline.ts'
import { readBody } from '../src/hooks/formats/post-body.ts'
import { readText } from '../src/hooks/formats/text.ts'
import { oneLine, webAddress } from '../src/hooks/texts/clean.ts'
import { splitText } from '../src/hooks/texts/split.ts'
import { countedInRussian } from '../src/hooks/words/plural.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

const readAlerts = (payload: unknown) => readAlertsIn(payload, wordsIn.ru.alerts)
const readPipeline = (payload: unknown) => readPipelineIn(payload, wordsIn.ru.pipeline)

const read = (bytes: Uint8Array | string, header?: string): string =>
  readText(readBody(Buffer.from(bytes as string), { 'content-type': header }))

const texts: [string, Uint8Array | string, string | undefined, string][] = [
  ['plain', 'Готово 🎉', 'text/plain', 'Готово 🎉'],
  ['without a type', 'hello', undefined, 'hello'],
  ['as it is', '  two\n\n\tlines ', 'text/plain; charset=utf-8', '  two\n\n\tlines '],
  ['line ends of Windows', 'a\r\nb\rc', 'text/plain', 'a\nb\nc'],
  ['windows-1251', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), 'text/plain; charset=windows-1251', 'Привет'],
  ['KOI8-R, in quotes', Buffer.from([0xf0, 0xd2]), 'TEXT/PLAIN;format=flowed; Charset="KOI8-R"', 'Пр'],
  ['UTF-16', Buffer.from('hi', 'utf16le'), 'text/plain; charset=utf-16le', 'hi'],
  ['UTF-16, marked', Buffer.from('\ufeffhi', 'utf16le'), 'text/plain; charset=UTF-16', 'hi'],
  ['UTF-16 the other way round', Buffer.from('\ufeffhi', 'utf16le').swap16(), 'text/plain; charset=utf-16', 'hi'],
  ['UTF-16, marked and not named', Buffer.from('\ufeffhi', 'utf16le'), 'text/plain', 'hi'],
  ['no mark of another charset', Buffer.from([0xff, 0xfe]), 'text/plain; charset=windows-1251', 'яю'],
  ['a mark at the beginning', '\ufeffhi', 'text/plain', 'hi'],
  ['markup', '<b>&amp; *x* [a](b)</b>', 'text/html', '<b>&amp; *x* [a](b)</b>'],
  ['JSON', '{"text":"из JSON","more":1}', 'application/json', 'из JSON'],
  ['a kind of JSON', '{"text":"x"}', 'application/vnd.x+json; charset=utf-8', 'x'],
  ['half a pair', '{"text":"a\\ud800b"}', 'application/json', 'a\ufffdb'],
  ['control characters', 'a\u0000\u001b[31mb\u0085', 'text/plain', 'a[31mb'],
  ['words turned round', 'a\u202eb\u2066c', 'text/plain', 'abc'],
]
const refused: [string, Uint8Array | string, string | undefined, string][] = [
  ['nothing', '', 'text/plain', 'text: must not be blank.'],
  ['white space', ' \n\t', undefined, 'text: must not be blank.'],
  ['signs that nobody sees', '\u200b \u2060', 'text/plain', 'text: must not be blank.'],
  ['an empty field', '{"text":""}', 'application/json', 'text: must not be blank.'],
  ['no field', '{}', 'application/json', 'text: must be a string.'],
  ['a field that is no text', '{"text":{"a":1}}', 'application/json', 'text: must be a string.'],
  ['a list', '[]', 'application/json', 'body: must be a JSON object.'],
  ['bad JSON', '{"text"', 'application/json', 'body: must be valid JSON.'],
  [
    'bad UTF-8',
    Buffer.from([0x61, 0xff]),
    'text/plain',
    'body: must be valid in its charset, which is UTF-8 by default.',
  ],
  ['an unknown charset', 'a', 'text/plain; charset=klingon', 'Content-Type: has an unknown charset.'],
  ['a form', 'text=a', 'application/x-www-form-urlencoded', 'Content-Type: must be text/plain or application/json.'],
]

describe('texts', () => {
  test.each(texts)('[GATEWAY-10.14] %s', (_, body, header, text) => {
    expect(read(body, header)).toBe(text)
  })

  test.each(refused)('[GATEWAY-10.14] %s is refused', (_, body, header, sentence) => {
    expect(() => read(body, header)).toThrow(sentence)
  })
})

describe('parts', () => {
  test('[GATEWAY-10.14] a text that fits stays whole', () => {
    expect(splitText('a b\nc', 5)).toEqual(['a b\nc'])
  })

  test('[GATEWAY-10.14] cut behind a line, else behind a word, else anywhere', () => {
    expect(splitText('one two\nthree four', 10)).toEqual(['one two\n', 'three four'])
    expect(splitText('one two three', 10)).toEqual(['one two ', 'three'])
    expect(splitText('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  })

  test('[GATEWAY-10.14] never inside of a character, and nothing is lost', () => {
    const text = '🙂'.repeat(10_000)
    const parts = splitText(text, 4096)
    expect(parts.map(charCount)).toEqual([4096, 4096, 1808])
    expect(parts.join('')).toBe(text)
  })

  const joined: [string, string][] = [
    ['a family', '👨‍👩‍👧‍👦'],
    ['a flag', '🇩🇪'],
    ['a flag of a country in a country', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['a skin colour', '👍🏽'],
    ['a keycap', '1️⃣'],
    ['a letter with marks', 'e\u0301\u0323'],
    ['a syllable', '각'.normalize('NFD')],
    ['a space with a mark', ' \u0301'],
  ]
  test.each(joined)('[GATEWAY-10.16] never inside of %s', (_, sign) => {
    for (const charsMax of [8, 9, 10, 11, 12, 13]) {
      const text = `x${sign.repeat(40)}`
      const parts = splitText(text, charsMax)
      expect(parts.join('')).toBe(text)
      expect(parts.every(part => charCount(part) <= charsMax)).toBe(true)
      for (const part of parts.slice(1)) expect(part.startsWith(sign)).toBe(true)
    }
  })

  test('[GATEWAY-10.16] a sign that is longer than a message is cut between its characters', () => {
    const sign = `e${'\u0301'.repeat(10_000)}`
    const parts = splitText(`a ${sign} b`, 4096)
    expect(parts.join('')).toBe(`a ${sign} b`)
    expect(parts.every(part => charCount(part) <= 4096)).toBe(true)
    expect(parts.map(charCount)).toEqual([2, 4096, 4096, 1811])
  })

  test('[GATEWAY-10.14] a part of white space alone is not a message', () => {
    expect(splitText(`a${' '.repeat(30)}b`, 10).every(part => part.trim() !== '')).toBe(true)
    expect(splitText(`a${'\u200b'.repeat(30)}b`, 10)).toHaveLength(2)
  })

  test('[GATEWAY-10.14] a megabyte is cut at once', () => {
    const parts = splitText('word '.repeat(200_000), 4096)
    expect(parts.join('')).toHaveLength(1_000_000)
    expect(parts.every(part => charCount(part) <= 4096)).toBe(true)
  })
})

test.each([
  [1, '1 хук'],
  [3, '3 хука'],
  [0, '0 хуков'],
  [12, '12 хуков'],
  [22, '22 хука'],
  [111, '111 хуков'],
])('[GATEWAY-10.9] the word behind %i', (count, text) => {
  expect(countedInRussian(count, { one: 'хук', few: 'хука', many: 'хуков' })).toBe(text)
})

describe('hostile payloads', () => {
  const nested = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown
  const hostile: [string, unknown][] = [
    ['deep nesting', nested],
    ['a huge number', 1e308],
    ['markup', '<script>alert(1)</script> **x** [a](javascript:b)'],
    ['control characters', 'a\u0000\u0007\u001b[2J\u0085b'],
    ['turned words', '\u202eevil\u202c \u2067x\u2069\u200f'],
    ['lines', 'a\n🔥 Forged: 1 срабатывание\u2028b\u2029c'],
    ['a megabyte', 'z'.repeat(1_000_000)],
    ['half a pair', '\ud83d\ud83d'],
    ['a prototype', JSON.parse('{"__proto__":{"x":1},"constructor":{}}')],
  ]
  test.each(hostile)('[GATEWAY-10.17] %s in every field of alerts', (_, value) => {
    const labels = { alertname: value, severity: value, instance: value, namespace: value, pod: value }
    const alerts = [{ status: value, labels, annotations: { summary: value, description: value }, fingerprint: value }]
    const many = [...alerts, { labels: value, annotations: value }, value]
    const body = {
      version: '4',
      status: value,
      groupKey: value,
      commonLabels: labels,
      alerts: many,
      truncatedAlerts: value,
    }
    expectHarmless(readAlerts(body).text, 4)
    expectHarmless(readAlerts(body).title, 1)
  })

  test.each(hostile)('[GATEWAY-10.17] %s in every field of a pipeline', (_, value) => {
    const run = { id: value, ref: value, tag: value, sha: value, status: 'failed', url: value }
    const person = { name: value, username: value, email: value }
    const text = readPipeline({
      object_kind: 'pipeline',
      object_attributes: run,
      project: { id: value, name: value, path_with_namespace: value, web_url: value },
      merge_request: { iid: value, title: value, source_branch: value, target_branch: value },
      commit: { id: value, title: value, message: value, author: person },
      user: person,
      builds: [{ name: value, status: 'failed', allow_failure: value }, value],
    })?.text
    expectHarmless(text ?? '', 7)
  })

  /** A continued line is marked as such. */
  function expectHarmless(text: string, linesMax: number): void {
    const all = text.split(/[\n\u2028\u2029\u0085]/)
    const lines = all.filter(line => !line.startsWith('…'))
    expect(lines.length).toBeLessThanOrEqual(linesMax)
    expect(all.slice(0, lines.length)).toEqual(lines)
    expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
    expect(text.isWellFormed()).toBe(true)
    expect(charCount(lines.join('\n'))).toBeLessThanOrEqual(4096)
  }

  test('[GATEWAY-10.17] a megabyte of labels', () => {
    const labels = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`label_${at}`, 'x']))
    expect(readAlerts({ version: '4', alerts: [{ labels }], groupLabels: labels }).text).toBe(
      '🔥 Без названия: 1 срабатывание\nбез описания',
    )
  })

  test('[GATEWAY-10.17] words stand in one line', () => {
    expect(oneLine(`a${' '.repeat(1000)}\nb`)).toBe('a b')
    expect(oneLine(' a \u200b b ')).toBe('a  b')
    expect([5, -0, Number.POSITIVE_INFINITY, Number.NaN].map(oneLine)).toEqual(['5', '0', '', ''])
  })

  test('[GATEWAY-10.17] only addresses of the web are shown', () => {
    for (const bad of ['javascript:x', 'data:text/html,x', 'x', '', 5, `https://x/${'y'.repeat(2000)}`])
      expect(webAddress(bad, 1024)).toBe('')
    expect(webAddress('https://x.example/a b\u202e', 1024)).toBe('https://x.example/a%20b%E2%80%AE')
  })
})
