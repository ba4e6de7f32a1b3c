// The texts and actions of rows: notices in words, actions, reactions, the remaining time, search results.
import { ManualClock } from '@postern/testkit/clock'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Message, Notice, Person } from '../src/contract/objects.ts'
import { RESULTS_PAGE, SearchRun } from '../src/conversation/header/search-run.ts'
import { isolated } from '../src/conversation/isolate.ts'
import { allowedFor, lastEditable } from '../src/conversation/rows/action-rules.ts'
import { lookAgainMs, visibility } from '../src/conversation/rows/expiry-steps.ts'
import { noticeLine } from '../src/conversation/rows/notice-words.ts'
import { chipsOf, reactionAfter } from '../src/conversation/rows/reaction-chips.ts'
import { snippetOf } from '../src/conversation/snippet.ts'
import { directionOf } from '../src/conversation/text-direction.ts'
import { language } from '../src/i18n/language.ts'
import { timeLeft } from '../src/i18n/time-left.ts'
import { timerText } from '../src/i18n/timers.ts'
import { alice, bob, deploy, group, NOON, person, said, timingOf } from './conversation-fixtures.ts'

afterEach(() => {
  language.value = 'en'
})

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** One of each code: a new one does not compile without its sample here. */
const samples: { [Code in Notice['code']]: Extract<Notice, { code: Code }> } = {
  created: { code: 'created', from: bob, text: 'Garden club' },
  joined: { code: 'joined', from: bob, members: [alice] },
  left: { code: 'left', from: bob },
  removed: { code: 'removed', from: bob, members: [alice] },
  admins: { code: 'admins', from: bob, members: [alice], admin: true },
  renamed: { code: 'renamed', from: bob, text: 'Beans' },
  picture: { code: 'picture', from: bob, removed: false },
  timer: { code: 'timer', from: bob, timer_ms: DAY_MS },
  call_declined: { code: 'call_declined', from: bob },
  undecryptable: { code: 'undecryptable', from: bob },
  key_changed: { code: 'key_changed', from: bob },
  refused: { code: 'refused', from: bob, text: 'x' },
  restarted: { code: 'restarted', from: bob, members: [alice] },
  missing: { code: 'missing', from: bob, count: 2 },
  forked: { code: 'forked', from: bob },
  cut_off: { code: 'cut_off', from: bob, members: [alice] },
  mismatch: { code: 'mismatch', text: 'x' },
}
const nobody: ReadonlySet<string> = new Set()

describe('notices', () => {
  test('[APP-10.10] each is a sentence in each language, about others and about oneself', () => {
    const lines = Object.values(samples).map(notice => {
      const en = noticeLine(notice, nobody, alice.id).text
      const own = noticeLine(notice, nobody, bob.id).text
      language.value = 'ru'
      const ru = noticeLine(notice, nobody, alice.id).text
      language.value = 'en'
      expect(ru).toMatch(/[а-я]/)
      expect(en).toMatch(/^[^а-я]+$/)
      for (const text of [en, own, ru]) expect(text).not.toMatch(/undefined|\[object|#/)
      return en
    })
    expect(new Set(lines).size).toBe(lines.length)
    expect(noticeLine(samples.undecryptable, nobody, alice.id).text).toBe(
      'A message could not be decrypted. The chat was repaired.',
    )
  })

  test('[APP-10.10] a bot that somebody else has added is a warning, also among people', () => {
    const joined = (members: Person[]): Notice => ({ code: 'joined', from: bob, members })
    const line = noticeLine(joined([deploy]), new Set([deploy.id]), alice.id)
    expect(line).toMatchObject({ isWarning: true, icon: 'triangle-alert' })
    expect(line.text).toContain('every message')
    const both = noticeLine(joined([alice, deploy]), new Set([deploy.id]), alice.id)
    expect(both.isWarning).toBe(true)
    expect(both.text).toContain('added you. ')
    expect(noticeLine(joined([alice]), new Set([deploy.id]), alice.id).isWarning).toBe(false)
  })

  test('[APP-10.17] a group that was made with a bot in it says so in its first line', () => {
    const made = noticeLine(samples.created, new Set([deploy.id]), alice.id)
    expect(made).toMatchObject({ isWarning: true, icon: 'triangle-alert' })
    expect(made.text).toMatch(/^.*Garden club.*\. There is a bot in this group. Its owner receives every message/)
    expect(noticeLine(samples.created, nobody, alice.id).isWarning).toBe(false)
  })

  test('[APP-10.11] a name turns no words around it, whatever stands in it', () => {
    const mallory = person(9, '\u202eegassem\u2066 x')
    const { text } = noticeLine({ code: 'left', from: mallory }, nobody, alice.id)
    expect(text).toBe('\u2068egassem x\u2069 left')
    expect(isolated('\u2069\u2069\u202d')).toBe('\u2068\u2069')
  })
})

describe('actions', () => {
  const now = { chat: group(), me: alice.id, nowMs: NOON }
  const own = said(alice, 'mine', { ts: NOON })

  test('[APP-10.12] own words can be edited for 48 hours; all can be copied, only own ones deleted for everybody', () => {
    expect(allowedFor(own, now)).toEqual({
      react: true,
      reply: true,
      copy: true,
      forward: true,
      edit: true,
      eraseForAll: true,
    })
    expect(allowedFor(own, { ...now, nowMs: NOON + 2 * DAY_MS - 1 }).edit).toBe(true)
    expect(allowedFor(own, { ...now, nowMs: NOON + 2 * DAY_MS }).edit).toBe(false)
    expect(allowedFor(said(bob, 'his'), now)).toMatchObject({ copy: true, edit: false, eraseForAll: false })
    const { text: _, ...wordless } = own
    const poll = { question: '?', multiple: false, closed: false, options: [], voted: [] }
    expect(allowedFor({ ...wordless, poll }, now)).toMatchObject({ copy: false, forward: false, edit: false })
  })

  test('[APP-10.12] nothing is written into a request, or into a group that was left', () => {
    for (const state of ['request', 'left'] as const)
      expect(allowedFor(own, { ...now, chat: group({ state }) })).toEqual({
        react: false,
        reply: false,
        copy: true,
        forward: state === 'left',
        edit: false,
        eraseForAll: false,
      })
  })

  test('[APP-10.12] the arrow in an empty field edits the newest of one’s own that can be', () => {
    const newer = said(alice, 'newer', { ts: NOON + 5 })
    expect(lastEditable([newer, own, said(bob, 'his', { ts: NOON + 9 })], now)).toBe(newer)
    expect(lastEditable([said(bob, 'his')], now)).toBeUndefined()
  })

  test('[APP-10.13] reactions are counted by emoji; the same once more takes one’s own back', () => {
    const reactions: Message['reactions'] = [
      { emoji: '👍', from: alice },
      { emoji: '🎉', from: bob },
      { emoji: '🎉', from: alice },
    ]
    expect(chipsOf(reactions, bob.id)).toEqual([
      { emoji: '🎉', people: [bob, alice], isMine: true },
      { emoji: '👍', people: [alice], isMine: false },
    ])
    expect(reactionAfter(reactions, alice.id, '👍')).toBe('')
    expect(reactionAfter(reactions, bob.id, '👍')).toBe('👍')
    expect(chipsOf(undefined, alice.id)).toEqual([])
  })
})

describe('time that is left', () => {
  test('[APP-10.14] is said in its largest unit, and looked at again when its words change', () => {
    expect([3 * DAY_MS, 90_000, 60_000, 1, 0].map(timeLeft)).toEqual(['3d', '2m', '60s', '1s', '0s'])
    expect([300_400, 300_000, 299_000].map(timeLeft)).toEqual(['5m', '5m', '5m'])
    expect([7 * DAY_MS, 36 * HOUR_MS, 60_000].map(timerText)).toEqual(['1 week', '36 hours', '1 minute'])
    language.value = 'ru'
    expect(timerText(7 * DAY_MS)).toBe('1 неделя')
    expect(lookAgainMs(30_000)).toBe(1_000)
    expect(lookAgainMs(90_000)).toBe(30_000)
    // A timer of the browser counts no further than 24 days.
    expect(lookAgainMs(365 * DAY_MS)).toBe(HOUR_MS)
    expect(lookAgainMs(-5)).toBe(1_000)
  })

  test('[APP-10.14] the last minute fades, and never so far that it cannot be read', () => {
    expect([120_000, 60_000, 45_000, 0].map(visibility)).toEqual([1, 1, 0.75, 0.45])
  })
})

describe('words in a line', () => {
  test('[APP-10.15] a snippet is one line of bounded length, and holds no half of a pair', () => {
    expect(snippetOf(said(bob, 'two\n\nlines'))).toBe('two lines')
    const long = snippetOf(said(bob, '😀'.repeat(2_000)))
    expect(long.length).toBeLessThan(260)
    expect(long.isWellFormed()).toBe(true)
    const file = { name: 'a.pdf', size: 1, type: 'application/pdf', kind: 'file' as const }
    expect(snippetOf(said(bob, 'look', { file }))).toBe('a.pdf · look')
    expect(snippetOf(said(bob, '', { file: { ...file, kind: 'photo' } }))).toBe('Photo')
  })

  test('[APP-10.15] the box of a text is read as its first letter is', () => {
    expect(['תודה hello', '42 — سلام', 'hello תודה', '12:30', ''].map(directionOf)).toEqual([
      'rtl',
      'rtl',
      'ltr',
      undefined,
      undefined,
    ])
  })
})

describe('search in a chat', () => {
  // A browser has it: no tested code may call it.
  vi.stubGlobal('reportError', (error: unknown) => expect.unreachable(String(error)))
  const settle = () => new Promise<void>(done => setImmediate(done))

  test('[APP-10.16] asks when the keys rest, and shows no answer to half a word', async () => {
    const clock = new ManualClock()
    const asked: { text: string; answer: (messages: Message[]) => void }[] = []
    const run = new SearchRun(timingOf(clock), text => new Promise(answer => asked.push({ text, answer })))
    run.type('be')
    clock.advance(199)
    run.type('bea')
    clock.advance(200)
    run.type('beans ')
    clock.advance(200)
    expect(asked.map(one => one.text)).toEqual(['bea', 'beans'])
    asked[1]?.answer([])
    await settle()
    asked[0]?.answer([said(bob, 'bear')])
    await settle()
    expect(run.found.value).toEqual({ text: 'beans', messages: [], hasMore: false })
    run.type('')
    expect(run.found.value).toBeUndefined()
  })

  test('[APP-10.16] older ones follow those that are shown; a failure leaves them', async () => {
    const clock = new ManualClock()
    const page = Array.from({ length: RESULTS_PAGE }, () => said(bob, 'x')).toReversed()
    const cursors: (number | undefined)[] = []
    const answers = [page, undefined, [said(bob, 'x')]]
    const run = new SearchRun(timingOf(clock), (_text, beforeTs) => {
      cursors.push(beforeTs)
      return Promise.resolve(answers.shift())
    })
    run.type('x')
    clock.advance(200)
    await settle()
    expect(run.found.value).toMatchObject({ messages: page, hasMore: true })
    await run.more()
    expect(run.found.value?.messages).toHaveLength(RESULTS_PAGE)
    await run.more()
    expect(run.found.value).toMatchObject({ hasMore: false })
    expect(run.found.value?.messages).toHaveLength(RESULTS_PAGE + 1)
    expect(cursors).toEqual([undefined, page.at(-1)?.ts, page.at(-1)?.ts])
  })
})
