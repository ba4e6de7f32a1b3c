// Albums: which files are sent with one id, and which are shown in one bubble.
import { contentLimits } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { AlbumIds } from '../src/attaching/album-ids.ts'
import type { Message, Person } from '../src/contract/objects.ts'
import { layRows } from '../src/conversation/window/row-layout.ts'
import { alice, bob, row, said } from './conversation-fixtures.ts'

const file = (kind: 'photo' | 'video' | 'file', album?: string) => ({
  name: 'x',
  type: 'x/y',
  size: 1,
  kind,
  ...(album !== undefined && { album }),
})

const sends = (from: Person, album: string | undefined, more: Partial<Message> = {}): Message => {
  const { text: _none, ...message } = said(from, '', { file: file('photo', album) })
  return { ...message, ...more }
}

/** How many messages each bubble has. */
const bubbles = (messages: Message[], unreadFromTs?: number): number[] =>
  layRows(messages.map(row), unreadFromTs).flatMap(day => day.rows.map(({ rest }) => 1 + rest.length))

describe('a bubble', () => {
  test('[APP-12.18] has the photos and videos of one sender with one id, and the first may have words', () => {
    const video = { file: file('video', 'one') }
    expect(bubbles([sends(bob, 'one', { text: 'The pier' }), sends(bob, 'one', video), sends(bob, 'one')])).toEqual([3])
    expect(bubbles([sends(bob, 'one'), sends(bob, 'one'), sends(bob, 'two'), sends(bob, 'two')])).toEqual([2, 2])
    expect(bubbles([sends(bob, undefined), sends(bob, undefined)])).toEqual([1, 1])
  })

  test('[APP-12.18] has at most ten', () => {
    const many = Array.from({ length: contentLimits.albumFilesMax + 3 }, () => sends(bob, 'one'))
    expect(bubbles(many)).toEqual([contentLimits.albumFilesMax, 3])
  })

  test('[APP-12.18] takes nothing from a member who uses the id of another, or comes in between', () => {
    expect(bubbles([sends(bob, 'one'), sends(alice, 'one'), sends(bob, 'one')])).toEqual([1, 1, 1])
    expect(bubbles([sends(bob, 'one'), said(alice, 'hm'), sends(bob, 'one'), sends(bob, 'one')])).toEqual([1, 1, 2])
  })

  test('[APP-12.18] hides no words, quote, buttons or other file', () => {
    expect(bubbles([sends(bob, 'one'), sends(bob, 'one', { text: 'mine' }), sends(bob, 'one')])).toEqual([1, 2])
    const [quoted] = [said(alice, 'hello')]
    expect(bubbles([sends(bob, 'one'), sends(bob, 'one', { reply_to: quoted.id })])).toEqual([1, 1])
    const buttons = [[{ text: 'Go', data: 'go' }]]
    expect(bubbles([sends(bob, 'one', { buttons }), sends(bob, 'one')])).toEqual([1, 1])
    expect(bubbles([sends(bob, 'one'), sends(bob, 'one', { file: file('file', 'one') })])).toEqual([1, 1])
  })

  test('[APP-12.18] begins at the line above unread messages, and after five minutes', () => {
    const [first, second] = [sends(bob, 'one'), sends(bob, 'one')]
    expect(bubbles([first, second], second.ts)).toEqual([1, 1])
    expect(bubbles([first, { ...second, ts: first.ts + 6 * 60_000 }])).toEqual([1, 1])
  })
})

test('[APP-12.18] files that are sent together have one id, ten at most and without another file between them', () => {
  const ids = (kinds: ('photo' | 'video' | 'file')[]) => {
    const albums = new AlbumIds()
    const marked = kinds.map(kind => albums.mark(file(kind)).album)
    return marked.map(id => (id === undefined ? undefined : marked.indexOf(id)))
  }
  expect(ids(['photo', 'video', 'file', 'photo', 'photo'])).toEqual([0, 0, undefined, 3, 3])
  expect(ids(Array.from({ length: 11 }, () => 'photo' as const)).slice(8)).toEqual([0, 0, 10])
})
