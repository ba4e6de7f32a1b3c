// The emoji that can be picked.
import { readFileSync } from 'node:fs'
import { emojiFault } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { emojiGroups, findEmoji, noteEmoji, readEmoji, recentEmoji } from '../src/parts/emoji/emoji-list.ts'

const groups = readEmoji(readFileSync(new URL('../src/parts/emoji/emoji.txt', import.meta.url), 'utf8'))
const found = (typed: string) => findEmoji(groups, typed).map(({ sign }) => sign)

function keptIn(start: string | null) {
  let value = start
  return {
    getItem: () => value,
    setItem: (_key: string, text: string) => {
      value = text
    },
  }
}

describe('emoji', () => {
  test('[APP-9.14] each that can be picked can be a reaction, and stands in a group that has a name', () => {
    expect(groups).toHaveLength(emojiGroups.length)
    expect(groups.flat().length).toBeGreaterThan(1_500)
    expect(groups.flat().filter(({ sign }) => emojiFault(sign) !== undefined)).toEqual([])
  })

  test('[APP-9.14] one is found by the beginning of its words, in English and in Russian', () => {
    expect(found('thumbs up')).toContain('👍️')
    expect(found('ракет')).toContain('🚀')
    expect(found('ROCK')).toContain('🚀')
    expect(found('ocket')).not.toContain('🚀')
    expect(found('nothingofthekind')).toEqual([])
  })

  test('[APP-9.14] the last picked stand first, each once, and what is not a list of them is none', () => {
    const kept = keptIn(null)
    for (const sign of ['👍', '🚀', '👍']) noteEmoji(kept, sign)
    expect(recentEmoji(kept)).toEqual(['👍', '🚀'])
    for (const broken of ['{', '{"a":1}', '7', '[1,null]']) expect(recentEmoji(keptIn(broken))).toEqual([])
  })
})
