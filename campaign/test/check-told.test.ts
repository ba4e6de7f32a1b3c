// The checker of updates and events must find each missing kind: one is left out of a complete stream at a time.
import { expect, test } from 'vitest'
import { checkKept, checkTold, owedSteps } from '../src/chaos/check/check-told.ts'
import type { Outcome, Said } from '../src/chaos/check/deeds.ts'
import { possibleValues } from '../src/chaos/check/deeds.ts'
import type { Happened, ToldEvent } from '../src/chaos/check/told-event.ts'

const [ALICE, BOB, BOT, CAROL] = [{ id: 'a' }, { id: 'b' }, { id: 'o' }, { id: 'c' }]

const saidBy = (by: string, tag: string, kind: Said['kind'] = 'text'): Said => ({
  kind,
  tag,
  room: kind === 'brief' ? 'brief' : 'all',
  by,
  begun: 0,
  ended: 1,
  outcome: 'acknowledged',
  id: `id-${tag}`,
})
type Step = [value: string, outcome: Outcome]
const changed = (kind: string, what: string, tag: string | undefined, ...steps: Step[]) => ({
  kind,
  what,
  first: kind === 'delete' ? 'there' : '',
  changes: steps.map(([value, outcome]) => ({ value, outcome })),
  where: { room: 'all', by: 'alice', ...(tag !== undefined && { tag }) },
})

const happened: Happened = {
  polls: [{ tag: 'd5', id: 'id-d5', room: 'all', by: 'pusher' }],
  said: [saidBy('alice', 'd1'), saidBy('bob', 'd2'), saidBy('alice', 'd3'), saidBy('alice', 'd4', 'brief')],
  values: [
    changed('edit', 'words of id-d1', 'd1', ['once', 'acknowledged'], ['maybe', 'doubtful'], ['twice', 'acknowledged']),
    changed('delete', 'presence of id-d3', 'd3', ['gone', 'acknowledged']),
    changed('reaction', 'reaction of a to id-d2', 'd2', ['👍', 'acknowledged'], ['', 'acknowledged']),
    changed('title', 'title of all', undefined, ['new', 'acknowledged']),
    changed('member', 'place of c in all', undefined, ['in', 'acknowledged'], ['out', 'acknowledged']),
  ],
  gone: new Set(['d3']),
  accounts: new Map([
    [
      'all',
      new Map([
        ['alice', 'a'],
        ['bob', 'b'],
        ['bot', 'o'],
      ]),
    ],
    [
      'brief',
      new Map([
        ['alice', 'a'],
        ['bob', 'b'],
        ['bot', 'o'],
      ]),
    ],
  ]),
}

const events: [name: string, event: Omit<ToldEvent, 'chat_id'>][] = [
  ['chat', { type: 'chat' }],
  ['who made it', { type: 'notice', notice: { code: 'created' } }],
  ['the end of the poll', { type: 'poll', message: { id: 'id-d5', poll: { closed: true } } }],
  ['message d1', { type: 'message', message: { id: 'id-d1', text: 'd1' } }],
  ['message d3', { type: 'message', message: { id: 'id-d3' } }],
  ['message d4', { type: 'message', message: { id: 'id-d4' } }],
  ['the first edit', { type: 'edited', message: { id: 'id-d1', text: 'once' } }],
  ['the last edit', { type: 'edited', message: { id: 'id-d1', text: 'twice' } }],
  ['the deletion', { type: 'deleted', deleted: { message_id: 'id-d3' } }],
  ['the reaction', { type: 'reaction', reaction: { message_id: 'id-d2', from: ALICE, emoji: '👍' } }],
  ['the end of the reaction', { type: 'reaction', reaction: { message_id: 'id-d2', from: ALICE, emoji: '' } }],
  ['the title', { type: 'notice', notice: { code: 'renamed', text: 'new' } }],
  ['who has come', { type: 'notice', notice: { code: 'joined', members: [CAROL] } }],
  ['who has gone', { type: 'notice', notice: { code: 'removed', members: [CAROL] } }],
  ['what has disappeared', { type: 'expired', expired: ['id-d4'] }],
  ['a receipt of alice', { type: 'receipt', receipt: { message_id: 'id-d2', from: ALICE, status: 'delivered' } }],
  ['a receipt of the bot', { type: 'receipt', receipt: { message_id: 'id-d2', from: BOT, status: 'delivered' } }],
]

const streamOf = (left = ''): ToldEvent[] =>
  events.filter(([name]) => name !== left).map(([, event]) => ({ ...event, chat_id: 'all' }))
const chats = new Map([
  ['all', 'all'],
  ['brief', 'all'],
])
const opened = [{ room: 'all', chat: 'all', notices: ['created'] }]
const bob = (told: ToldEvent[]) => checkTold({ party: 'bob', isBot: false, chats, opened, events: told }, happened)
const numbered = (told: ToldEvent[]) => told.map((event, at) => ({ ...event, id: at + 1 }))
const bot = (told: ToldEvent[]) =>
  checkTold({ party: 'bot', isBot: true, chats, opened, events: numbered(told) }, happened)

test('a whole stream is in order, for a person and for a bot, with updates that come again', () => {
  expect(bob(streamOf())).toEqual([])
  expect(bot(streamOf())).toEqual([])
  const twice = [...numbered(streamOf()), ...numbered(streamOf())]
  expect(checkTold({ party: 'bot', isBot: true, chats, opened, events: twice }, happened)).toEqual([])
})

test.each(events.map(([name]) => name))('a person who is not told %s: found', name => {
  expect(bob(streamOf(name)).map(({ wrong }) => wrong)).toEqual(['untold'])
})

/** Messages of a bot's stream are checked by their ids, as `checkUpdates` does; receipts are for people alone. */
const notOfBots = (name: string) => name.startsWith('message') || name.startsWith('a receipt')

test.each(events.map(([name]) => name).filter(name => !notOfBots(name)))('a bot that is not told %s: found', name => {
  expect(new Set(bot(streamOf(name)).map(({ wrong }) => wrong))).toEqual(new Set(['untold']))
})

test('steps in another order, and steps that nobody took, are found', () => {
  const [first, last] = [streamOf('the last edit'), streamOf('the first edit')]
  const edit = (text: string): ToldEvent => ({ type: 'edited', chat_id: 'all', message: { id: 'id-d1', text } })
  expect(bob([...last, edit('once')]).map(({ wrong }) => wrong)).toEqual(['untold'])
  expect(bob([...first, edit('maybe'), edit('twice')])).toEqual([])
  expect(bob([...streamOf(), edit('made up')]).map(({ wrong }) => wrong)).toEqual(['invented'])
})

test('nobody is owed what they did themselves, what was in doubt, or what changed nothing', () => {
  const alice = checkTold(
    { party: 'alice', isBot: false, chats: new Map([['all', 'all']]), opened: [], events: streamOf() },
    happened,
  )
  // She got no receipts for her own messages.
  expect(new Set(alice.map(({ deed }) => deed))).toEqual(new Set(['text', 'receipt']))
  const steps = (...all: Step[]) => owedSteps(changed('edit', '', undefined, ...all))
  expect(steps(['a', 'acknowledged'], ['a', 'acknowledged'], ['b', 'refused'])).toEqual(['a'])
  expect(steps(['a', 'doubtful'], ['a', 'acknowledged'], ['', 'acknowledged'])).toEqual([''])
})

test('a message that has to disappear and is still there is found', () => {
  expect(checkKept([{ party: 'bob', room: 'brief', ids: [] }])).toEqual([])
  expect(checkKept([{ party: 'bob', room: 'brief', ids: ['id-d4'] }]).map(({ wrong }) => wrong)).toEqual(['kept'])
})

test('a change in doubt that a wire held back may arrive behind the next one', () => {
  const { first, changes } = changed('profile', '', undefined, ['a', 'doubtful'], ['b', 'acknowledged'])
  expect(possibleValues({ first, changes })).toEqual(['b', 'a'])
})

test('who is told by whom is no matter of names alone', () => {
  const told = streamOf().map(event => (event.receipt ? { ...event, receipt: { ...event.receipt, from: BOB } } : event))
  expect(bob(told).map(({ deed }) => deed)).toEqual(['receipt', 'receipt'])
})
