// Markdown as people and programs write it becomes a text with entities, whatever it is.
import { parseMarkdown, writeMarkdown } from '@postern/protocol/markdown'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { describe, expect, test } from 'vitest'
import { contentLimits, entityFault, type TextEntity } from '../src/index.ts'

const parsed = (source: string) => {
  const { text, entities } = parseMarkdown(source)
  return { text, entities }
}

/** Each entity with the words that it covers. */
const covered = (source: string): [string, string, string?][] => {
  const { text, entities } = parsed(source)
  return entities.map(({ type, offset, length, url, lang }) => {
    const detail = url ?? lang
    const words = text.slice(offset, offset + length)
    return detail === undefined ? [type, words] : [type, words, detail]
  })
}

describe('[PROTOCOL-2.12] the marks of Markdown are', () => {
  test.for([
    ['bold', 'a **b** c', 'a b c', [['bold', 'b']]],
    ['bold by underscores', '__b__', 'b', [['bold', 'b']]],
    [
      'italic',
      '*a* and _b_',
      'a and b',
      [
        ['italic', 'a'],
        ['italic', 'b'],
      ],
    ],
    [
      'both',
      '***a** b*',
      'a b',
      [
        ['italic', 'a b'],
        ['bold', 'a'],
      ],
    ],
    [
      'both over the same words',
      '***a***',
      'a',
      [
        ['bold', 'a'],
        ['italic', 'a'],
      ],
    ],
    ['struck out', '~~a b~~', 'a b', [['strike', 'a b']]],
    ['a spoiler', 'he ||dies||.', 'he dies.', [['spoiler', 'dies']]],
    ['code', 'run `a_b*c*`', 'run a_b*c*', [['code', 'a_b*c*']]],
    ['code with a tick', '`` a`b ``', 'a`b', [['code', 'a`b']]],
    [
      'a block of code',
      'see\n```ts\nconst a = `*b*`\n\n// c\n```\nend',
      'see\nconst a = `*b*`\n\n// c\nend',
      [['pre', 'const a = `*b*`\n\n// c', 'ts']],
    ],
    ['a block with a block in it', '````\n```\na\n```\n````', '```\na\n```', [['pre', '```\na\n```']]],
    [
      'a link',
      '[**a** b](https://example.org/x_(y)_z)!',
      'a b!',
      [
        ['link', 'a b', 'https://example.org/x_(y)_z'],
        ['bold', 'a'],
      ],
    ],
    [
      'a quote',
      '> a *b*\n>\n>c\nd',
      'a b\n\nc\nd',
      [
        ['quote', 'a b\n\nc'],
        ['italic', 'b'],
      ],
    ],
    ['within a word, where writing has no spaces', '这是**粗体**字', '这是粗体字', [['bold', '粗体']]],
    [
      'around an address',
      '**https://example.org/a_b_c**',
      'https://example.org/a_b_c',
      [['bold', 'https://example.org/a_b_c']],
    ],
    ['after characters of two units', '👍 **👍**', '👍 👍', [['bold', '👍']]],
    ['over several lines of a paragraph', '**a\nb**', 'a\nb', [['bold', 'a\nb']]],
  ] as const)('%s', ([, source, text, entities]) => {
    expect(parsed(source).text).toBe(text)
    expect(covered(source)).toEqual(entities)
  })

  test.for([
    '**a',
    'a**',
    '*a',
    '**a\n\nb**',
    '`a',
    '```\na',
    '```\n```',
    '[a](b)',
    '[a](javascript:alert(1))',
    '[a](https://b@example.org)',
    '[](https://example.org)',
    '[\u200b](https://example.org)',
    '[a](https://example.org "title")',
    'a * b * c',
    '* a\n* b',
    '2*3*4',
    'snake_case_name',
    'if (a||b||c)',
    '/^.*$/',
    '>',
    '>\n> ',
    'https://example.org/_a_/__b__',
    '****',
    '~a~',
    '|a|',
    '||||',
    '\\\\server\\share',
    'C:\\temp\\new',
    'x \\(y\\)',
    '*',
    '\\',
    '',
    '\n\n',
    '**\u00a0**',
    '# a',
    '- a',
    '1. a',
    '<b>a</b>',
    '&amp;',
  ])('and nothing else: %j stays as it is', source => {
    expect(parsed(source)).toEqual({ text: source, entities: [] })
  })

  test.for([
    ['\\*a\\*', '*a*'],
    ['\\\\*a*', '\\a'],
    ['\\> a', '> a'],
    ['\\`a\\`', '`a`'],
    ['\\[a](https://example.org)', '[a](https://example.org)'],
    ['a\\_b', 'a_b'],
  ] as const)('a backslash makes a sign of a mark: %s', ([source, text]) => {
    expect(parsed(source).text).toBe(text)
  })

  test('beyond the limit they stay signs, and no address is lost', () => {
    const link = (at: number) => `[a](https://example.org/${at})`
    const source = Array.from({ length: contentLimits.entitiesMax + 1 }, (_, at) => link(at)).join(' ')
    const { text, entities } = parsed(source)
    expect(entities).toHaveLength(contentLimits.entitiesMax)
    expect(text.endsWith(` a ${link(contentLimits.entitiesMax)}`)).toBe(true)
  })
})

const pieces = [
  ...'*_~|`[]()>\\ \n\r\t',
  ...[
    '**',
    '__',
    '~~',
    '||',
    '***',
    '```',
    '````',
    '```ts\n',
    '\n```\n',
    '\n> ',
    '\n\n',
    '](https://example.org/a_b)',
    '](javascript:a)',
  ],
  ...['a', 'b ', 'я', '1', '👍', '\u200b', '\ud800', 'e\u0301', 'https://example.org/_x_', '@bob', '/start', '.', '!'],
]
const randomText = (random: SeededRandom): string =>
  Array.from({ length: random.below(40) }, () => random.of(pieces)).join('')

const seed = seedFrom('MARKDOWN_SEED')
const times = timesFrom('MARKDOWN_TIMES', { change: 300, campaign: 500_000 })

const lettersOf = (text: string): string => [...text.replaceAll(/[^\p{L}\p{N}]/gu, '')].sort().join('')

/** In order, and with marks between them. */
function isWithoutMarks(text: string, source: string): boolean {
  let at = 0
  for (const unit of source) if (text.startsWith(unit, at)) at += unit.length
  return at === text.length
}

describe('[PROTOCOL-2.13] no text makes the parser fail, and of any text', () => {
  test(`only marks and addresses of links are removed (seed ${seed})`, () => {
    const random = new SeededRandom(seed)
    for (let time = 0; time < times; time++) {
      const source = randomText(random)
      const { text, entities } = parsed(source)
      expect({ source, isWithoutMarks: isWithoutMarks(text, source) }).toEqual({ source, isWithoutMarks: true })
      // Every letter of the source is in the text, in an address or in a language, once.
      const details = entities.map(({ url, lang }) => url ?? lang ?? '').join('')
      expect({ source, letters: lettersOf(`${text}${details}`) }).toEqual({ source, letters: lettersOf(source) })
      expect(text === '').toBe(source === '')
      expect({ source, fault: entityFault(text, entities) }).toEqual({ source, fault: undefined })
    }
  })

  test(`written again as Markdown it is read as the same text (seed ${seed})`, () => {
    const random = new SeededRandom(seed)
    for (let time = 0; time < times; time++) {
      const found = parsed(randomText(random))
      const source = writeMarkdown(found)
      const again = parsed(source)
      expect({ source, text: again.text }).toEqual({ source, text: found.text })
      // Formatting that Markdown cannot express is left out as a whole.
      if (again.entities.length > 0) expect({ source, ...again }).toEqual({ source, ...found })
      expect(parsed(writeMarkdown({ text: found.text, entities: [] }))).toEqual({
        text: found.text,
        entities: [],
      })
    }
  })

  test(`positions of the source are found in the text (seed ${seed})`, () => {
    const random = new SeededRandom(seed)
    for (let time = 0; time < times; time++) {
      const before = randomText(random)
      const source = `${before}\u{10ffff}${randomText(random)}`
      const { text, place } = parseMarkdown(source)
      const at = place(before.length)
      if (text.includes('\u{10ffff}'))
        expect({ source, sign: text.slice(at, place(before.length + 2)) }).toEqual({ source, sign: '\u{10ffff}' })
    }
  })

  const long = 5_000
  test.for([
    '*',
    '_a',
    '*a ',
    '**a',
    'a**',
    '* ',
    '*a_',
    '[',
    ']',
    '[a',
    '](',
    '](http://',
    '[a](http://b',
    '`',
    '`a``b',
    '\\',
    '\\*',
    '|',
    '||a',
    '~~',
    '>',
    '> \n',
    '>a\n',
    '```\n',
    '```a\n',
    '\n',
    'a\n\n',
    'https://*',
    'https://',
    '[*a](https://b.c)',
    '()',
  ])('the time is linear: a long text of %j', piece => {
    // A parser that looks at every pair of marks would take minutes for each.
    const source = piece.repeat(long)
    expect(isWithoutMarks(parsed(source).text, source)).toBe(true)
  })

  test.for(['', '**a** '.repeat(contentLimits.entitiesMax)])(
    'each line of a quote that is none is read once, after %j',
    before => {
      // A parser that reads all following lines again for each line would take minutes.
      const source = `${before}\n${'> \n'.repeat(200_000)}`
      expect(parsed(source).text).toBe(source.replaceAll('*', ''))
    },
  )
})

test('[PROTOCOL-2.14] a text that Markdown can express keeps its formatting when it is written', () => {
  const sources = [
    'a **b** _c_ ~~d~~ ||e|| `f`',
    '**a _b_ c**',
    '> quoted _text_\n> of two lines\n\nand an answer',
    '```ts\nconst a = 1\n```',
    '[a](https://example.org) and ``b`c``',
    'snake_case and **2\\*3**',
    '||**a** [b](https://example.org)||',
  ]
  for (const source of sources) expect(writeMarkdown(parsed(source))).toBe(source)
  const everywhere: TextEntity[] = [{ type: 'italic', offset: 1, length: 1 }]
  // Within a word an italic letter has no Markdown: the text stays.
  expect(writeMarkdown({ text: 'abc', entities: everywhere })).toBe('abc')
})
