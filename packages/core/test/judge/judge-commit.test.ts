// The changes that members may make to a group: a value in, a verdict out.
import { accountIdOf } from '@postern/bot-api'
import { type AccountId, type ChatId, contentLimits, privateChatId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { describe, expect, test } from 'vitest'
import { compareLists } from '../../src/judge/compare-lists.ts'
import { type Deed, judgeCommit, type Picture } from '../../src/judge/judge-commit.ts'
import { judgeSending } from '../../src/judge/judge-sending.ts'

const account = (letter: string) => accountIdOf(letter.repeat(32))
const [alice, bob, carol, mallory] = ['a', 'b', 'c', 'm'].map(account) as [AccountId, AccountId, AccountId, AccountId]
const chat = 'g'.repeat(26) as ChatId

const settings: GroupSettings = { v: 1, type: 'group', title: 'team', admins: [alice], timerMs: 0, generation: 0 }
const before: Picture = { settings, members: [alice, bob, carol, mallory], leaving: [] }
const deed = (change: Partial<Deed>): Deed => ({ committer: mallory, added: [], removed: [], settings, ...change })
const ruleOf = (picture: Picture, change: Partial<Deed>) => {
  const verdict = judgeCommit(picture, deed(change))
  return verdict.kind === 'refuse' ? verdict.rule : 'follow'
}
const as = (change: object): GroupSettings => ({ ...settings, ...change })

describe('[CORE-14.4] a commit in a group', () => {
  test.each<[string, Partial<Deed>, string]>([
    ['new keys', {}, 'follow'],
    ['an add by anybody', { added: [account('d')] }, 'follow'],
    ['a title by anybody', { settings: as({ title: 'others' }) }, 'follow'],
    ['a timer by anybody', { settings: as({ timerMs: 5000 }) }, 'follow'],
    ['a removal by an admin', { committer: alice, removed: [bob] }, 'follow'],
    ['admins by an admin', { committer: alice, settings: as({ admins: [alice, bob] }) }, 'follow'],
    ['removed and added anew by anybody', { removed: [bob], added: [bob] }, 'follow'],
    ['a removal by a member', { removed: [bob] }, 'not-an-admin'],
    ['a removal of the admin', { removed: [alice] }, 'not-an-admin'],
    ['a removal beside one that is added anew', { removed: [bob, carol], added: [bob] }, 'not-an-admin'],
    ['admins by a member', { settings: as({ admins: [alice, mallory] }) }, 'not-an-admin-to-name'],
    ['no admins by a member', { settings: as({ admins: [] }) }, 'not-an-admin-to-name'],
    ['settings that nobody can read', { settings: undefined }, 'unreadable-settings'],
    ['another type', { settings: { v: 1, type: 'private', generation: 0, timerMs: 0 } }, 'other-type'],
    ['another chat, by an admin', { committer: alice, settings: as({ chat }) }, 'fixed-setting'],
    ['another maker, by an admin', { committer: alice, settings: as({ maker: alice }) }, 'fixed-setting'],
    ['another generation, by an admin', { committer: alice, settings: as({ generation: 1 }) }, 'fixed-setting'],
    [
      'more members than there may be',
      { added: Array.from({ length: contentLimits.groupMembersMax }, (_, at) => `${at}` as AccountId) },
      'too-many',
    ],
  ])('%s', (_what, change, rule) => {
    expect(ruleOf(before, change)).toBe(rule)
  })

  test('[CORE-14.5] who has said farewell is taken out by anybody', () => {
    expect(ruleOf({ ...before, leaving: [bob] }, { removed: [bob] })).toBe('follow')
    expect(ruleOf({ ...before, leaving: [bob] }, { removed: [carol] })).toBe('not-an-admin')
  })
})

describe('[CORE-14.6] a commit in a private chat', () => {
  const ofTwo: GroupSettings = { v: 1, type: 'private', generation: 3, timerMs: 0 }
  const pair: Picture = { settings: ofTwo, members: [alice, mallory], leaving: [] }
  test.each<[string, Partial<Deed>, string]>([
    ['new keys', { settings: ofTwo }, 'follow'],
    ['the timer', { settings: { ...ofTwo, timerMs: 1000 } }, 'follow'],
    ['a third one', { settings: ofTwo, added: [bob] }, 'private-members'],
    ['a removal', { settings: ofTwo, removed: [alice] }, 'private-members'],
    ['the other swapped', { settings: ofTwo, removed: [alice], added: [alice] }, 'private-members'],
    ['another generation', { settings: { ...ofTwo, generation: 4 } }, 'fixed-setting'],
    ['a group of it', { settings }, 'other-type'],
  ])('%s', (_what, change, rule) => {
    expect(ruleOf(pair, change)).toBe(rule)
  })
})

describe('[CORE-14.8] what the relay was told', () => {
  const members = [alice, bob, carol]
  const nobody = { added: [], removed: [] }
  const keys = { ...nobody, before: members, after: members }
  test.each<[string, Parameters<typeof compareLists>, ReturnType<typeof compareLists>]>([
    ['nothing, and nothing was done', [nobody, keys], undefined],
    [
      'the same',
      [
        { added: [], removed: [bob] },
        { ...keys, removed: [bob], after: [alice, carol] },
      ],
      undefined,
    ],
    ['a removal that was none', [{ added: [], removed: [bob] }, keys], { cutOff: [bob], listening: [] }],
    [
      'nothing of one who was added',
      [nobody, { ...keys, added: [mallory], after: [...members, mallory] }],
      { cutOff: [mallory], listening: [] },
    ],
    ['one who was not added', [{ added: [mallory], removed: [] }, keys], { cutOff: [], listening: [mallory] }],
    [
      'nothing of one who was removed',
      [nobody, { ...keys, removed: [bob], after: [alice, carol] }],
      { cutOff: [], listening: [bob] },
    ],
    [
      'one added anew',
      [
        { added: [bob], removed: [bob] },
        { ...keys, added: [bob], removed: [bob] },
      ],
      undefined,
    ],
    [
      'one added who had been cut off',
      [
        { added: [bob], removed: [] },
        { ...keys, added: [bob], removed: [bob] },
      ],
      undefined,
    ],
    ['one put out who only listened', [{ added: [], removed: [mallory] }, keys], undefined],
  ])('%s', (_what, [relay, done], expected) => {
    expect(compareLists(relay, done)).toEqual(expected)
  })
})

describe('[CORE-14.3] keys and the people who are shown', () => {
  const shown = { chat, type: 'group' as const, members: [alice, bob] }
  test.each<[string, Parameters<typeof judgeSending>, string]>([
    ['the same', [{ chat, members: [bob, alice] }, shown], 'follow'],
    ['one more', [{ chat, members: [alice, bob, mallory] }, shown], 'refuse'],
    ['one less', [{ chat, members: [alice] }, shown], 'refuse'],
    ['another one', [{ chat, members: [alice, mallory] }, shown], 'refuse'],
    ['another chat', [{ chat: privateChatId(alice), members: [alice, bob] }, shown], 'refuse'],
    [
      'a third in a private chat',
      [
        { chat, members: [alice, bob, mallory] },
        { ...shown, type: 'private', members: [alice, bob, mallory] },
      ],
      'refuse',
    ],
  ])('%s', (_what, [keys, people], verdict) => {
    expect(judgeSending(keys, people).kind).toBe(verdict)
  })
})
