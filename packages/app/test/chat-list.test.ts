// The list of chats: its order, search, visible part, and keys.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerptOf } from '../src/chat-list/excerpt.ts'
import { neighbourOf, placeAfterKey } from '../src/chat-list/list-keys.ts'
import { rowsInDocument } from '../src/chat-list/list-window.ts'
import { findChats, isBotChat, sortChats } from '../src/chat-list/sort-chats.ts'
import type { ChatLine } from '../src/contract/objects.ts'

/** Half pairs, controls and marks included. */
const anyText = (maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map(units => String.fromCharCode(...units))

const line = (id: string, more: Partial<ChatLine> = {}): ChatLine =>
  ({ id, name: id, type: 'private', state: 'active', members: [], archived: false, ...more }) as ChatLine

const ids = (lines: readonly ChatLine[]) => lines.map(({ id }) => id)

test('[APP-8.5] Requests stand apart from the chats, archived or not; archived chats are in a folder of their own', () => {
  const lines = [
    line('a'),
    line('r', { state: 'request' }),
    line('ra', { state: 'request', archived: true }),
    line('z', { archived: true }),
    line('left', { state: 'left' }),
  ]
  const sorted = sortChats(lines)
  expect(ids(sorted.chats)).toEqual(['a', 'left'])
  expect(ids(sorted.requests)).toEqual(['r', 'ra'])
  expect(ids(sorted.archived)).toEqual(['z'])
})

test('[APP-8.6] Chats are found by the beginnings of the words of their names, without marks and capitals', () => {
  const lines = [
    line('1', { name: 'Mira Kovač' }),
    line('2', { name: 'Ёлка и дом' }),
    line('3', { name: 'Garden-club' }),
  ]
  expect(ids(findChats(lines, 'kovac mi'))).toEqual(['1'])
  expect(ids(findChats(lines, 'ел'))).toEqual(['2'])
  expect(ids(findChats(lines, 'CLUB'))).toEqual(['3'])
  expect(ids(findChats(lines, 'ira'))).toEqual([])
})

test('[APP-8.7] Of a long list only so many rows are in the document, and always all that are seen', () => {
  const rowPx = 70
  fc.assert(
    fc.property(fc.nat(300_000), fc.integer({ min: 1, max: 3_000 }), fc.nat(5_000), (scrollPx, heightPx, count) => {
      const { from, to } = rowsInDocument({ scrollPx, heightPx, rowPx, count })
      const isSeen = (at: number) => at * rowPx < scrollPx + heightPx && (at + 1) * rowPx > scrollPx
      for (let at = 0; at < count; at++) if (isSeen(at)) expect(at >= from && at < to).toBe(true)
      expect(to - from).toBeLessThanOrEqual(200)
    }),
    { numRuns: 200 },
  )
  expect(rowsInDocument({ scrollPx: -90, heightPx: 700, rowPx, count: 1_000 }).from).toBe(0)
})

test('[APP-8.8] Arrows lead from chat to chat and stop at the ends; a chat that is gone leads to the first', () => {
  expect(neighbourOf(['a', 'b', 'c'], 'a', 1)).toBe('b')
  expect(neighbourOf(['a', 'b', 'c'], 'a', -1)).toBeUndefined()
  expect(neighbourOf(['a', 'b', 'c'], undefined, 1)).toBe('a')
  expect(neighbourOf(['a', 'b', 'c'], 'gone', -1)).toBe('c')
  expect(neighbourOf([], 'a', 1)).toBeUndefined()
  expect(placeAfterKey('ArrowDown', 2, 3)).toBe(2)
  expect(placeAfterKey('End', 0, 3)).toBe(2)
  expect(placeAfterKey('PageUp', 3, 30)).toBe(0)
  expect(placeAfterKey('x', 0, 3)).toBeUndefined()
  expect(placeAfterKey('ArrowDown', 0, 0)).toBeUndefined()
})

test('[APP-8.9] A message that was found shows the words around the hit, short and in one line, whatever it holds', () => {
  expect(excerptOf('See you at the gate', 'GATE')).toEqual({ before: 'See you at the ', hit: 'gate', after: '' })
  expect(excerptOf('nothing', 'else').before).toBe('nothing')
  fc.assert(
    fc.property(anyText(6_000), fc.string({ maxLength: 10 }), (text, wanted) => {
      const { before, hit, after } = excerptOf(text, wanted)
      const all = before + hit + after
      expect(all.length).toBeLessThan(200)
      expect(all.isWellFormed()).toBe(true)
      expect(/[\n\r]/.test(all)).toBe(false)
    }),
  )
})

test('[APP-8.10] A bot is told from a person in the list by the members of the chat', () => {
  const bot = { id: 'b', name: 'b', bot: true } as ChatLine['members'][number]
  expect(isBotChat(line('b', { members: [bot] }))).toBe(true)
  expect(isBotChat(line('g', { type: 'group', members: [bot] }))).toBe(false)
})
