// Statistics of polls, frames of pictures, sizes in words: the values behind message bodies.
import type { FileInfo } from '@postern/bot-api/objects'
import type { AccountId, PictureHead } from '@postern/protocol'
import { blackPng } from '@postern/testkit/pictures'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { fitWithin } from '../src/attaching/prepare-photo.ts'
import { holdOf, isPlayable } from '../src/bodies/held-photo.ts'
import { holdWords } from '../src/bodies/held-words.ts'
import { frameOf } from '../src/bodies/picture-frame.ts'
import { peopleWhoVoted, sharesOf } from '../src/bodies/poll-shares.ts'
import { momentOf, timeOf } from '../src/i18n/dates.ts'
import { chooseLanguage, language } from '../src/i18n/language.ts'
import { lengthOf, sizeOf } from '../src/i18n/sizes.ts'
import { isDecodable } from '../src/parts/fields/picked-picture.ts'

const votes = fc.array(fc.nat({ max: 10_000 }), { minLength: 2, maxLength: 12 })

describe('videos', () => {
  test('[APP-12.9] one that a page can hold is played, and a larger one is saved', () => {
    const playable = [1, 64_000_000, 100_000_000, 100_000_001, 200_000_000].map(size => isPlayable({ size }))
    expect(playable).toEqual([true, true, true, false, false])
  })
})

describe('a photo that is here', () => {
  const photo = { name: 'p.png', type: 'image/png', kind: 'photo', size: 900_000 } as const
  const head = (width: number, height: number) => ({ type: 'image/png', width, height, moves: false }) as const
  const whyOf = (file: Partial<FileInfo>, picture: PictureHead | undefined) =>
    holdOf({ ...photo, ...file }, picture)?.why

  test('[APP-12.12] is shown when it is what its message says, upright or on its side', () => {
    expect(whyOf({ width: 400, height: 300 }, head(400, 300))).toBeUndefined()
    expect(whyOf({ width: 300, height: 400 }, head(400, 300))).toBeUndefined()
    expect(whyOf({}, head(8000, 5000))).toBeUndefined()
  })

  test('[APP-12.12] waits when it is too large, of another size, or moves', () => {
    expect(whyOf({ width: 20_000, height: 20_000 }, head(20_000, 20_000))).toBe('large')
    expect(whyOf({}, head(8001, 5000))).toBe('large')
    // Five of these in 31 kB each would take 800 MB.
    expect(whyOf({ size: 31_000 }, head(6000, 6000))).toBe('large')
    expect(whyOf({ size: 31_000 }, head(2560, 2560))).toBeUndefined()
    expect(whyOf({ width: 400, height: 300 }, head(400, 301))).toBe('other-size')
    expect(whyOf({}, { ...head(400, 300), moves: true })).toBe('moves')
    expect(whyOf({}, undefined)).toBe('unknown')
  })

  test('[APP-12.12] says why in every language', () => {
    const hold = { why: 'large', width: 20_000, height: 20_000, memoryBytes: 1_600_000_000 } as const
    chooseLanguage('en')
    expect(holdWords(hold).text).toContain('20,000\u00a0×\u00a020,000 pixels')
    expect(holdWords(hold).text).toContain('1.6\u00a0GB')
    chooseLanguage('ru')
    expect(holdWords(hold).action).toBe('Всё равно показать')
    chooseLanguage('en')
  })
})

test('[APP-12.13] a picked picture of too many pixels is not decoded', async () => {
  const picked = (side: number) => new Blob([new Uint8Array(blackPng(side, side))])
  expect(await isDecodable(picked(10_000))).toBe(true)
  expect(await isDecodable(picked(10_001))).toBe(false)
  expect(await isDecodable(new Blob(['some other format']))).toBe(true)
})

describe('polls', () => {
  test('[APP-12.1] shares add up to a hundred, or to nothing when nobody has voted', () => {
    fc.assert(
      fc.property(votes, counts => {
        const sum = sharesOf(counts).reduce((all, share) => all + share, 0)
        expect(sum).toBe(counts.some(count => count > 0) ? 100 : 0)
      }),
    )
  })

  test('[APP-12.1] more votes are never shown as a smaller share', () => {
    fc.assert(
      fc.property(votes, counts => {
        const shares = sharesOf(counts)
        for (const [at, count] of counts.entries())
          for (const [other, less] of counts.entries())
            if (count > less) expect(shares[at]).toBeGreaterThanOrEqual(shares[other] ?? 0)
      }),
    )
  })

  test('[APP-12.1] of several answers a person counts once', () => {
    const alice = { id: 'alice' as AccountId, name: 'Alice' }
    const bob = { id: 'bob' as AccountId, name: 'Bob' }
    const options = [
      { text: 'tea', votes: 2, voters: [alice, bob] },
      { text: 'coffee', votes: 1, voters: [alice] },
    ]
    expect(peopleWhoVoted({ question: '?', multiple: true, closed: false, options, voted: [] })).toBe(2)
  })
})

test('[APP-12.2] a photo keeps its shape, and is never made larger', () => {
  expect(fitWithin({ width: 4000, height: 3000 }, 2560)).toEqual({ width: 2560, height: 1920 })
  expect(fitWithin({ width: 640, height: 480 }, 2560)).toEqual({ width: 640, height: 480 })
  expect(fitWithin({ width: 100_000, height: 1 }, 2560)).toEqual({ width: 2560, height: 1 })
})

test('[APP-12.3] a frame stays within its bounds, whatever a sender says', () => {
  const side = fc.oneof(fc.constant(undefined), fc.integer({ min: -5, max: 100_000 }))
  fc.assert(
    fc.property(side, side, (width, height) => {
      const frame = frameOf({ ...(width !== undefined && { width }), ...(height !== undefined && { height }) })
      expect(frame.width).toBeGreaterThanOrEqual(120)
      expect(frame.width).toBeLessThanOrEqual(344)
      expect(frame.height).toBeGreaterThanOrEqual(120)
      expect(frame.height).toBeLessThanOrEqual(420)
    }),
  )
})

test('[APP-12.4] sizes and lengths as people say them, in both languages', () => {
  language.value = 'en'
  expect([0, 999, 1000, 14_320, 3_100_000, 2_000_000_000].map(sizeOf)).toEqual([
    '0\u00a0bytes',
    '999\u00a0bytes',
    '1\u00a0kB',
    '14\u00a0kB',
    '3.1\u00a0MB',
    '2\u00a0GB',
  ])
  language.value = 'ru'
  expect(sizeOf(3_100_000)).toBe('3,1\u00a0МБ')
  expect([0, 900, 59_600, 67_000, 3_600_000].map(lengthOf)).toEqual(['0:00', '0:01', '1:00', '1:07', '60:00'])
})

test.for([
  ['en-GB', 'en', '02:13', '15:04'],
  ['de', 'en', '02:13', '15:04'],
  ['en-US', 'en', '2:13 AM', '3:04 PM'],
  ['ru-RU', 'ru', '02:13', '15:04'],
] as const)('[APP-12.5] times follow the customs of the country: %s', ([browser, chosen, night, afternoon]) => {
  vi.stubGlobal('navigator', { language: browser })
  // Read again when the language changes.
  language.value = chosen === 'en' ? 'ru' : 'en'
  language.value = chosen
  const plain = (text: string): string => text.replaceAll(/\s/g, ' ')
  const [early, late] = [new Date(2026, 10, 15, 2, 13).getTime(), new Date(2026, 10, 15, 15, 4).getTime()]
  expect([timeOf(early), timeOf(late)].map(plain)).toEqual([night, afternoon])
  expect(plain(momentOf(early, late))).toContain(night)
  vi.unstubAllGlobals()
  language.value = 'en'
})
