// The checker must find every fault: in a book and lists that agree, one thing is changed at a time.
import { expect, test } from 'vitest'
import { checkAttempts } from '../src/chaos/check/check-attempts.ts'
import { checkChanges } from '../src/chaos/check/check-changes.ts'
import { checkLists, type List } from '../src/chaos/check/check-lists.ts'
import { checkPolls } from '../src/chaos/check/check-polls.ts'
import { checkPresses, type Pressed } from '../src/chaos/check/check-presses.ts'
import { checkUpdates, type ToldUpdate } from '../src/chaos/check/check-updates.ts'
import { type Outcome, possibleValues, type Said, tagIn } from '../src/chaos/check/deeds.ts'
import type { Finding } from '../src/chaos/check/finding.ts'

const kindsOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ wrong }) => wrong))]

const saidOf = (tag: string, at: number, outcome: Outcome = 'acknowledged'): Said => ({
  kind: 'text',
  tag,
  room: 'all',
  by: 'alice',
  begun: at * 10,
  ended: at * 10 + 5,
  outcome,
  id: `id-${tag}`,
})
const said = [saidOf('d1', 1), saidOf('d2', 2), saidOf('d3', 3, 'doubtful'), saidOf('d4', 4, 'refused')]
const messagesOf = (tags: readonly string[]) => tags.map(tag => ({ id: `id-${tag}`, tag }))
const listOf = (party: string, tags: readonly string[]): List => ({ party, room: 'all', messages: messagesOf(tags) })
const none = new Set<string>()

test('lists that agree with the book are in order, with what was in doubt and without it', () => {
  expect(checkLists(said, [listOf('alice', ['d1', 'd2']), listOf('bob', ['d1', 'd2'])], none)).toEqual([])
  expect(checkLists(said, [listOf('alice', ['d1', 'd2', 'd3'])], none)).toEqual([])
})

test.each([
  ['a loss', ['d1'], ['lost']],
  ['a double', ['d1', 'd1', 'd2'], ['doubled']],
  ['a double of what was in doubt', ['d1', 'd2', 'd3', 'd3'], ['doubled']],
  ['a swap', ['d2', 'd1'], ['reordered']],
  ['what was in doubt, before what was there when it was begun', ['d1', 'd3', 'd2'], ['reordered']],
  ['what was refused', ['d1', 'd2', 'd4'], ['invented']],
  ['what nobody said', ['d1', 'd2', 'd9'], ['invented']],
])('lists: %s is found', (_, tags, wrong) => {
  expect(kindsOf(checkLists(said, [listOf('alice', tags)], none))).toEqual(wrong)
})

test('lists: a difference between two parties is found, and what was deleted is not missed', () => {
  const differing = [listOf('alice', ['d1', 'd2', 'd3']), listOf('bob', ['d1', 'd2'])]
  expect(kindsOf(checkLists(said, differing, none))).toEqual(['different'])
  expect(checkLists(said, [listOf('alice', ['d2'])], new Set(['d1']))).toEqual([])
})

const message = (id: number, tag: string, text = tag): ToldUpdate => ({
  id,
  type: 'message',
  chat_id: 'all',
  message: { id: `id-${tag}`, chat_id: 'all', from: 'alice', ts: 1, text },
})
const stripped = (id: number, tag: string): ToldUpdate => ({
  id,
  type: 'message',
  chat_id: 'all',
  message: { id: `id-${tag}`, chat_id: 'all', from: 'alice', ts: 1 },
})
const told = (updates: ToldUpdate[]): Finding[] =>
  checkUpdates({ party: 'bot', updates }, said.slice(0, 2), [listOf('bot', ['d1', 'd2'])])

test('updates may come again, also without the words of what is gone', () => {
  expect(told([message(1, 'd1'), message(2, 'd2')])).toEqual([])
  expect(told([message(1, 'd1'), message(1, 'd1'), message(2, 'd2'), stripped(1, 'd1')])).toEqual([])
})

test.each([
  ['one that never came', [message(1, 'd1')], ['untold']],
  ['one that came late', [message(2, 'd2'), message(1, 'd1')], ['reordered']],
  ['an id with another payload', [message(1, 'd1'), message(2, 'd2'), message(1, 'd1', 'other')], ['told-twice']],
  ['a message under two ids', [message(1, 'd1'), message(2, 'd2'), message(3, 'd2')], ['told-twice']],
  ['ids in another order than the list', [message(1, 'd2'), message(2, 'd1')], ['reordered']],
])('updates: %s is found', (_, updates, wrong) => {
  expect(kindsOf(told(updates))).toEqual(wrong)
})

const votesOf = (...votes: [value: string, outcome: Outcome][]) => ({
  first: '',
  changes: votes.map(([value, outcome]) => ({ value, outcome })),
})
const poll = {
  tag: 'd7',
  id: 'p',
  by: 'bot',
  votes: new Map([
    ['alice', votesOf(['0', 'acknowledged'], ['1', 'acknowledged'])],
    ['bob', votesOf(['2', 'doubtful'])],
  ]),
}
const report = (...votes: [string, string][]) => ({ party: 'bot', id: 'p', votes: new Map(votes) })

test('polls: the last acknowledged vote counts, one in doubt may', () => {
  expect(checkPolls([poll], [report(['alice', '1'])])).toEqual([])
  expect(checkPolls([poll], [report(['alice', '1'], ['bob', '2'])])).toEqual([])
})

test.each([
  ['a lost vote', [report()], ['lost']],
  ['an older vote', [report(['alice', '0'])], ['different']],
  ['a poll that is never reported closed', [], ['untold']],
  [
    'a tally that changes after the first report',
    [report(['alice', '1']), report(['alice', '1'], ['bob', '2'])],
    ['different'],
  ],
])('polls: %s is found', (_, reports, wrong) => {
  expect(kindsOf(checkPolls([poll], reports))).toEqual(wrong)
})

const pressed: Pressed = {
  press: 'x',
  by: 'alice',
  outcome: 'acknowledged',
  toldBy: [4],
  answers: ['acknowledged'],
  toasts: ['alice'],
}

test.each<[string, Partial<Pressed>, string[]]>([
  ['nothing wrong', {}, []],
  ['a press that was not told', { toldBy: [], answers: [], toasts: [] }, ['untold']],
  ['a press under two updates', { toldBy: [4, 5] }, ['told-twice']],
  ['an answer that was never shown', { toasts: [] }, ['lost']],
  ['an answer that was shown twice', { toasts: ['alice', 'alice'] }, ['doubled']],
  ['an answer that was shown to somebody else', { toasts: ['bob'] }, ['invented']],
  ['an answer to a press of which nobody knows whose it is', { by: undefined }, []],
  ['two answers', { answers: ['acknowledged', 'acknowledged'] }, ['doubled']],
])('presses: %s', (_, change, wrong) => {
  expect(kindsOf(checkPresses([{ ...pressed, ...change }]))).toEqual(wrong)
})

test('changes: a value that was replaced, or never asked for, is found at whoever shows it', () => {
  const changed = {
    kind: 'profile',
    what: 'name',
    ...votesOf(['a', 'acknowledged'], ['b', 'acknowledged'], ['c', 'doubtful']),
  }
  const seenAs = (value: string) => checkChanges([{ ...changed, shown: new Map([['bot', value]]) }])
  expect(possibleValues(changed)).toEqual(['b', 'c'])
  expect([...seenAs('b'), ...seenAs('c')]).toEqual([])
  expect(kindsOf(seenAs('a'))).toEqual(['lost'])
  expect(kindsOf(seenAs('echo'))).toEqual(['lost'])
})

test('attempts: one that comes before a second has passed is found, unless the sender began anew', () => {
  const first = { update: 1, atMs: 0, failedAtMs: 10, how: 'answered 500', life: 1 }
  expect(checkAttempts([first, { update: 1, atMs: 1010, life: 1 }])).toEqual([])
  expect(checkAttempts([first, { update: 1, atMs: 15, life: 2 }])).toEqual([])
  expect(kindsOf(checkAttempts([first, { update: 1, atMs: 15, life: 1 }]))).toEqual(['early-retry'])
})

test('a tag is found in words, captions and alerts, and what is over has a tag of its own', () => {
  expect(tagIn('d12 edited 3')).toBe('d12')
  expect(tagIn('🔥 d12: 1 срабатывание')).toBe('d12')
  expect(tagIn('✅ Устранено: d12, 1 срабатывание')).toBe('d12-over')
  expect(tagIn('welcome')).toBeUndefined()
})
