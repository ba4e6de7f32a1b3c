// The three languages of `parse_mode` and Telegram's entities, as our entities and mentions.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordsOf } from '../src/formatting/telegram-words.ts'
import { Parameters } from '../src/parameters.ts'

const words = (mode: string, text: string) =>
  wordsOf(new Parameters({ parse_mode: mode }), { text, entities: 'entities' }, number => `account ${number}`)

const bold = { type: 'bold', offset: 0, length: 1 }

test.for<[mode: string, marked: string, text: string, entities: object[]]>([
  ['HTML', '<b>a</b> &lt;c&gt; &amp;amp; &#8364;', 'a <c> &amp; €', [bold]],
  [
    'HTML',
    '<b>a<i>b</i></b>',
    'ab',
    [
      { ...bold, length: 2 },
      { type: 'italic', offset: 1, length: 1 },
    ],
  ],
  [
    'HTML',
    '<a href="https://a.example/?x=1&amp;y">a</a>',
    'a',
    [{ ...bold, type: 'link', url: 'https://a.example/?x=1&y' }],
  ],
  ['HTML', '<pre><code class="language-ts">a</code></pre>', 'a', [{ ...bold, type: 'pre', lang: 'ts' }]],
  ['HTML', '<blockquote expandable>a</blockquote><u>b</u>', 'ab', [{ ...bold, type: 'quote' }]],
  ['HTML', '<span class="tg-spoiler">a</span>', 'a', [{ ...bold, type: 'spoiler' }]],
  ['html', 'plain & simple', 'plain & simple', []],
  [
    'Markdown',
    '*a* _b_ `c`',
    'a b c',
    [bold, { type: 'italic', offset: 2, length: 1 }, { type: 'code', offset: 4, length: 1 }],
  ],
  ['Markdown', '```ts\na```', 'a', [{ ...bold, type: 'pre', lang: 'ts' }]],
  ['Markdown', 'snake\\_case [x]', 'snake_case [x]', []],
  ['Markdown', '[a](https://a.example)', 'a', [{ ...bold, type: 'link', url: 'https://a.example' }]],
  ['MarkdownV2', '*a*\\.', 'a.', [bold]],
  [
    'MarkdownV2',
    '*a _b_*',
    'a b',
    [
      { ...bold, length: 3 },
      { type: 'italic', offset: 2, length: 1 },
    ],
  ],
  [
    'MarkdownV2',
    '||a|| ~b~ __c__',
    'a b c',
    [
      { ...bold, type: 'spoiler' },
      { type: 'strike', offset: 2, length: 1 },
    ],
  ],
  ['MarkdownV2', '>a\n>b\nc', 'a\nb\nc', [{ ...bold, type: 'quote', length: 3 }]],
  ['MarkdownV2', '[a](https://a.example/\\))', 'a', [{ ...bold, type: 'link', url: 'https://a.example/)' }]],
  ['MarkdownV2', '```\na_b\n```', 'a_b\n', [{ ...bold, type: 'pre', length: 4 }]],
])('[TELEGRAM-3.1] %s %j', ([mode, marked, text, entities]) => {
  expect(words(mode, marked)).toEqual({ text, ...(entities.length > 0 && { entities }) })
})

test('[TELEGRAM-3.1] a link to a person is a mention', () => {
  const mentions = [{ user: 'account 7', offset: 0, length: 1 }]
  expect(words('HTML', '<a href="tg://user?id=7">a</a>')).toEqual({ text: 'a', mentions })
  expect(words('MarkdownV2', '[a](tg://user?id=7)')).toEqual({ text: 'a', mentions })
})

test.for<[mode: string, text: string]>([
  ['HTML', '<b>a'],
  ['HTML', 'a</b>'],
  ['HTML', '<b><i>a</b></i>'],
  ['HTML', '<img src=x>'],
  ['HTML', 'a < b'],
  ['HTML', '<constructor>a</constructor>'],
  ['Markdown', '*a'],
  ['Markdown', '`a'],
  ['MarkdownV2', 'a.'],
  ['MarkdownV2', '*a'],
  ['MarkdownV2', '[a](b'],
])("[TELEGRAM-3.2] %s %j: can't parse entities", ([mode, text]) => {
  expect(() => words(mode, text)).toThrow(/^Bad Request: can't parse entities: /)
})

test('[TELEGRAM-3.2] any text is parsed or refused, and what comes out fits', () => {
  const signs = fc.array(
    fc.constantFrom(
      '*',
      '_',
      '`',
      '[',
      ']',
      '(',
      ')',
      '|',
      '>',
      '\n',
      '\\',
      '<b>',
      '</b>',
      '&lt;',
      'a',
      '😀',
      '~',
      '!',
    ),
  )
  fc.assert(
    fc.property(fc.constantFrom('HTML', 'Markdown', 'MarkdownV2'), signs, (mode, list) => {
      try {
        const { text, entities = [] } = words(mode, list.join(''))
        for (const { offset, length } of entities) expect(offset + length).toBeLessThanOrEqual(text.length)
      } catch (error) {
        expect(String(error)).toMatch(/can't parse entities/)
      }
    }),
  )
})
