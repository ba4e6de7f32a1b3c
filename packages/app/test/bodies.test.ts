// Polls in figures, frames of pictures, sizes in words: what the bodies of messages are computed from.
import type { AccountId } from '@postern/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitWithin } from '../src/attaching/prepare-photo.ts'
import { frameOf } from '../src/bodies/picture-frame.ts'
import { isPlayable } from '../src/bodies/playable.ts'
import { peopleWhoVoted, sharesOf } from '../src/bodies/poll-shares.ts'
import { language, localeFor } from '../src/words/language.ts'
import { lengthOf, sizeOf } from '../src/words/sizes.ts'

const votes = fc.array(fc.nat({ max: 10_000 }), { minLength: 2, maxLength: 12 })

describe('videos', () => {
  test('[APP-12.9] one that a page can hold is played, and a larger one is saved', () => {
    const playable = [1, 64_000_000, 100_000_000, 100_000_001, 200_000_000].map(size => isPlayable({ size }))
    expect(playable).toEqual([true, true, true, false, false])
  })
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

test('[APP-12.5] times follow the customs of the country', () => {
  const noon = Date.UTC(2026, 10, 15, 15, 4)
  const shown = (browser: string, chosen: 'en' | 'ru') =>
    new Intl.DateTimeFormat(localeFor(chosen, browser), { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }).format(
      noon,
    )
  expect(shown('en-GB', 'en')).toBe('15:04')
  expect(shown('de', 'en')).toBe('15:04')
  expect(shown('en-US', 'en')).toMatch(/^03:04/)
  expect(shown('ru-RU', 'ru')).toBe('15:04')
})
