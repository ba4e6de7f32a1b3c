// Formatted texts of strangers as a screen shows them: nothing is lost, and no link misleads.
import type { TextEntity } from '@postern/protocol'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { describe, expect, test } from 'vitest'
import { type FormattedPart, formattedParts } from '../src/parts/text/formatted-parts.ts'

const url = 'https://example.org/a'
const at = (type: TextEntity['type'], offset: number, length: number): TextEntity => ({
  type,
  offset,
  length,
  ...(type === 'link' && { url }),
})

/** As a list: words, and for each formatted part its type and what is in it. */
const outline = (parts: FormattedPart[]): unknown[] =>
  parts.map(part => {
    if (part.kind === 'formatted') return [part.entity.type, ...outline(part.parts)]
    return part.kind === 'text' ? part.text : { [part.kind]: part.text }
  })
const wordsOf = (parts: FormattedPart[]): string =>
  parts.map(part => (part.kind === 'formatted' ? wordsOf(part.parts) : part.text)).join('')

describe('[APP-9.19] a formatted text is shown', () => {
  test('one part inside of the other, with what can be tapped', () => {
    const entities = [at('bold', 0, 9), at('italic', 4, 5), at('spoiler', 10, 24)]
    const text = 'one two 3 www.example.org/x now /go'
    expect(outline(formattedParts(text, entities, { commands: true }))).toEqual([
      ['bold', 'one ', ['italic', 'two 3']],
      ' ',
      { link: 'www.example.org/x' },
      ' now ',
      { command: '/go' },
    ])
    expect(outline(formattedParts('a b', [at('spoiler', 0, 3), at('link', 2, 1)]))).toEqual([
      ['spoiler', 'a ', ['link', 'b']],
    ])
  })

  test('with nothing to tap in code', () => {
    const mentions = [{ user: 'a'.repeat(32), offset: 0, length: 3 }]
    const text = 'bob /go https://example.org'
    const parts = formattedParts(text, [at('code', 0, text.length)], { mentions, commands: true })
    expect(outline(parts)).toEqual([['code', text]])
  })

  test('with blocks on lines of their own, and no empty line beside them', () => {
    const parts = formattedParts('a\nb\nc\n\nd', [at('pre', 2, 1), at('quote', 7, 1)])
    expect(outline(parts)).toEqual(['a', ['pre', 'b'], 'c\n', ['quote', 'd']])
  })
})

describe('[APP-9.20] a link', () => {
  test('over an address leads where the address says', () => {
    const text = 'see https://bank.example now'
    const parts = formattedParts(text, [at('link', 0, text.length)])
    expect(outline(parts)).toEqual(['see ', { link: 'https://bank.example' }, ' now'])
  })

  test.each(['javascript:alert(1)', 'https://bank.example@evil.example', 'data:text/html,x', '', 'evil'])(
    'to %j is text',
    target => {
      expect(outline(formattedParts('abc', [{ type: 'link', offset: 0, length: 3, url: target }]))).toEqual(['abc'])
    },
  )
})

const seed = seedFrom('FORMATTED_SEED')
const times = timesFrom('FORMATTED_TIMES', { change: 300, campaign: 100_000 })

test(`[APP-9.21] whatever the entities are, all words are shown once and in order (seed ${seed})`, () => {
  const random = new SeededRandom(seed)
  const types = ['quote', 'spoiler', 'link', 'bold', 'italic', 'strike', 'code', 'pre', 'html'] as TextEntity['type'][]
  const numbers = [-1, 0, 1, 2, 3, 5, 8, 13, 21, 34, 0.5, Number.NaN, Infinity, 2 ** 53]
  const words = ['a', ' ', '👍', '\n', 'https://example.org/x', '/go', '@bob', 'я', '\ud83d']
  const line = (text: string) => text.replaceAll('\n', '')
  for (let time = 0; time < times; time++) {
    const text = Array.from({ length: random.below(30) }, () => random.of(words)).join('')
    const entities = Array.from({ length: random.below(30) }, () =>
      at(random.of(types), random.of(numbers), random.of(numbers)),
    )
    const mentions = [{ user: 'a'.repeat(32), offset: random.below(40), length: random.below(9) }]
    const parts = formattedParts(text, entities, { mentions, commands: true })
    expect({ entities, text: line(wordsOf(parts)) }).toEqual({ entities, text: line(text) })
  }
})
