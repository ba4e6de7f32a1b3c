// Where a welcome may lead: a value in, a verdict out.
import { accountIdOf } from '@postern/bot-api'
import { type AccountId, contentLimits, type GroupId, groupChatId, privateChatId } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { type Invitation, judgeWelcome, type KnownFacts } from '../../src/judge/judge-welcome.ts'
import { type EndedGroup, successorOf, turnOf } from '../../src/judge/successor.ts'

const account = (letter: string) => accountIdOf(letter.repeat(32))
const [alice, bob, carol, mallory] = ['a', 'b', 'c', 'm'].map(account) as [AccountId, AccountId, AccountId, AccountId]
const group = 'g'.repeat(26) as GroupId
const other = 'h'.repeat(26) as GroupId
const chat = groupChatId(group)

const settings = { v: 1 as const, type: 'group' as const, title: 'team', admins: [bob], timerMs: 0, generation: 0 }
const place = { group, generation: 0, epoch: 4 }
const ended: EndedGroup = { chat, settings, place, members: [alice, bob, carol], leaving: [], offenders: [] }
const known = (standing: 'whole' | 'lost' | 'dead', change: Partial<EndedGroup> = {}): KnownFacts => ({
  group: undefined,
  chat: { type: 'group', state: 'active', group: { id: group, standing }, ended: { ...ended, ...change } },
})
const back = (standing: 'whole' | 'lost' | 'dead', epoch = 4): KnownFacts => ({
  ...known(standing),
  group: { chat, generation: 0, epoch, standing },
})
const invitation = (change: Partial<Invitation>): Invitation => ({
  own: alice,
  group,
  epoch: 5,
  chat,
  settings,
  members: [alice, bob, carol],
  inviter: bob,
  sender: change.inviter ?? bob,
  device: 'current',
  ...change,
})
const carriesOn = (change: Partial<Invitation> = {}, more: object = {}) =>
  invitation({ group: other, epoch: 1, settings: { ...settings, generation: 1, chat, ...more }, ...change })
const ruleOf = (asked: Invitation, what: KnownFacts) => {
  const verdict = judgeWelcome(asked, what)
  return verdict.kind === 'refuse' ? verdict.rule : 'follow'
}
const stranger: KnownFacts = { group: undefined, chat: undefined }

describe('[CORE-14.38] a welcome whose signature may be a thief’s', () => {
  test.each<[string, Invitation, KnownFacts, string]>([
    ['that another account has sent', invitation({ sender: mallory }), stranger, 'other-sender'],
    ['of a device that was replaced', invitation({ device: 'revoked' }), stranger, 'revoked-device'],
    ['of a certificate that has ended', invitation({ device: 'expired' }), stranger, 'expired-device'],
    ['before anything else is asked', invitation({ sender: mallory }), back('whole'), 'other-sender'],
  ])('%s', (_what, asked, what, rule) => {
    expect(ruleOf(asked, what)).toBe(rule)
  })
})

describe('[CORE-14.2] a welcome into a group', () => {
  test.each<[string, Invitation, KnownFacts, string]>([
    ['of a stranger', invitation({}), stranger, 'follow'],
    ['of a stranger, as a later one', carriesOn(), stranger, 'follow'],
    [
      'of a stranger, as the first of another chat',
      invitation({ settings: { ...settings, chat } }),
      stranger,
      'no-chat',
    ],
    ['that is whole', invitation({}), back('whole'), 'not-needed'],
    ['that a refused commit killed', invitation({}), back('dead'), 'not-needed'],
    ['that is lost', invitation({}), back('lost'), 'follow'],
    ['that is lost, from a stranger', invitation({ inviter: mallory }), back('lost'), 'unknown-inviter'],
    ['that is lost, by an old welcome', invitation({ epoch: 4 }), back('lost'), 'not-newer'],
    ['of another chat', invitation({ chat: groupChatId(other) }), back('lost'), 'other-chat'],
    [
      'that is lost, under another number',
      invitation({ settings: { ...settings, chat, generation: 7 } }),
      back('lost'),
      'fixed-setting',
    ],
  ])('%s', (_what, asked, what, rule) => {
    expect(ruleOf(asked, what)).toBe(rule)
  })

  test('that was left is followed from one who was in it', () => {
    const left: KnownFacts = { ...back('whole') }
    if (left.chat) left.chat = { ...left.chat, state: 'left' }
    expect(ruleOf(invitation({}), left)).toBe('follow')
    expect(ruleOf(invitation({ inviter: mallory }), left)).toBe('unknown-inviter')
  })
})

describe('[CORE-14.2, CORE-14.17] a group that carries a chat on', () => {
  test.each<[string, Invitation, KnownFacts, string]>([
    ['with the same people', carriesOn(), known('whole'), 'follow'],
    ['from a stranger', carriesOn({ inviter: mallory }), known('lost'), 'unknown-inviter'],
    [
      'of the same generation as the present one',
      carriesOn(),
      known('whole', { settings: { ...settings, generation: 1 } }),
      'follow',
    ],
    ['of an earlier one', carriesOn(), known('whole', { settings: { ...settings, generation: 2 } }), 'not-newer'],
    [
      'without one, by a member',
      carriesOn({ inviter: carol, members: [alice, carol] }),
      known('whole'),
      'not-an-admin',
    ],
    ['without one, by an admin', carriesOn({ members: [alice, bob] }), known('whole'), 'follow'],
    [
      'with an admin of its own',
      carriesOn({ inviter: carol }, { admins: [carol] }),
      known('whole'),
      'not-an-admin-to-name',
    ],
    ['with another title', carriesOn({ inviter: carol }, { title: 'since then' }), known('whole'), 'follow'],
    [
      'without the offender',
      carriesOn({ inviter: carol, members: [alice, carol] }, { admins: [alice] }),
      known('dead', { offenders: [bob] }),
      'follow',
    ],
    ['with the offender', carriesOn({ inviter: carol }), known('dead', { offenders: [bob] }), 'other-members'],
    ['by the offender', carriesOn({ inviter: bob }), known('dead', { offenders: [bob] }), 'other-members'],
    [
      'where the keys are lost, whatever came since',
      carriesOn({ members: [alice, bob, mallory] }),
      known('lost'),
      'follow',
    ],
    [
      'where the keys are lost, by a member, with the same people',
      carriesOn({ inviter: carol }),
      known('lost'),
      'follow',
    ],
    [
      'where the keys are lost, by a member, without one',
      carriesOn({ inviter: carol, members: [alice, carol] }),
      known('lost'),
      'not-an-admin',
    ],
    [
      'where the keys are lost, by a member as its own admin',
      carriesOn({ inviter: carol }, { admins: [carol] }),
      known('lost'),
      'not-an-admin-to-name',
    ],
    ['that names its maker', carriesOn({ inviter: carol }, { maker: carol }), known('whole'), 'follow'],
    ['that names another member', carriesOn({ inviter: carol }, { maker: bob }), known('whole'), 'other-maker'],
    [
      'that names another member, by one that adds this account later',
      carriesOn({ inviter: carol, epoch: 2 }, { maker: bob }),
      known('whole'),
      'follow',
    ],
    ['some generations later', carriesOn({}, { generation: 1_000 }), known('whole'), 'follow'],
    ['many generations later', carriesOn({}, { generation: 1_001 }), known('whole'), 'too-far'],
    ['many generations later, to who is lost', carriesOn({}, { generation: 1_001 }), known('lost'), 'too-far'],
    [
      'as a private chat',
      invitation({ group: other, settings: { v: 1, type: 'private', generation: 1, timerMs: 0 } }),
      known('whole'),
      'other-type',
    ],
  ])('%s', (_what, asked, what, rule) => {
    expect(ruleOf(asked, what)).toBe(rule)
  })

  test('is the same for everybody who makes it, and its makers come one after the other', () => {
    const killed: EndedGroup = { ...ended, members: [carol, bob, alice, mallory], leaving: [carol], offenders: [bob] }
    expect(successorOf(killed)).toEqual({
      members: [alice, mallory],
      settings: { ...settings, chat, generation: 1, admins: [alice], continues: place },
    })
    expect([alice, mallory, bob, carol].map(one => turnOf(killed, one))).toEqual([0, 1, undefined, undefined])
    expect([bob, alice, carol].map(one => turnOf(ended, one))).toEqual([0, 1, 2])
  })
})

describe('[CORE-14.20] where the keys are lost', () => {
  test.each<[string, Invitation, KnownFacts, string]>([
    ['a member brings back all', invitation({ inviter: carol }), back('lost'), 'follow'],
    [
      'a member brings somebody along',
      invitation({ inviter: carol, members: [alice, bob, carol, mallory] }),
      back('lost'),
      'follow',
    ],
    [
      'a member leaves somebody out',
      invitation({ inviter: carol, members: [alice, carol] }),
      back('lost'),
      'not-an-admin',
    ],
    [
      'a member is the admin now',
      invitation({ inviter: carol, settings: { ...settings, admins: [carol] } }),
      back('lost'),
      'not-an-admin-to-name',
    ],
    ['an admin leaves somebody out', invitation({ members: [alice, bob] }), back('lost'), 'follow'],
    [
      'a member carries on without somebody',
      carriesOn({ inviter: carol, members: [alice, carol] }),
      known('lost'),
      'not-an-admin',
    ],
    [
      'an admin who has gone is still named',
      invitation({ inviter: carol, settings: { ...settings, admins: [bob, mallory] } }),
      back('lost'),
      'follow',
    ],
  ])('%s', (_what, asked, what, rule) => {
    expect(ruleOf(asked, what)).toBe(rule)
  })
})

describe('[CORE-14.21, CORE-14.32] a group that carries a chat on', () => {
  test.each<[string, Invitation, KnownFacts, string]>([
    [
      'under a number far ahead',
      carriesOn({}, { generation: contentLimits.generationStepMax + 1 }),
      known('whole'),
      'too-far',
    ],
    ['some numbers ahead', carriesOn({}, { generation: contentLimits.generationStepMax }), known('whole'), 'follow'],
    ['with the offender, by an admin', carriesOn(), known('dead', { offenders: [carol] }), 'follow'],
  ])('%s', (_what, asked, what, rule) => {
    expect(ruleOf(asked, what)).toBe(rule)
  })
})

describe('[CORE-14.1] a welcome into a private chat', () => {
  const ofTwo = (change: Partial<Invitation>): Invitation =>
    invitation({
      group: other,
      chat: privateChatId(bob),
      settings: { v: 1, type: 'private', generation: 1, timerMs: 0 },
      members: [alice, bob],
      ...change,
    })
  const private_: KnownFacts = {
    group: undefined,
    chat: { type: 'private', state: 'active', group: { id: group, standing: 'whole' }, ended: undefined },
  }
  test.each<[string, Invitation, KnownFacts, string]>([
    ['from the other', ofTwo({}), private_, 'follow'],
    ['from the other, for the first time', ofTwo({}), stranger, 'follow'],
    ['with a third', ofTwo({ members: [alice, bob, mallory] }), private_, 'not-the-two'],
    ['of somebody else', ofTwo({ inviter: mallory, members: [alice, mallory] }), private_, 'not-the-two'],
    ['of oneself', ofTwo({ inviter: alice, chat: privateChatId(alice) }), stranger, 'not-the-two'],
    [
      'into a group that is known',
      ofTwo({ group }),
      { ...private_, group: { chat: privateChatId(bob), generation: 1, epoch: 1, standing: 'lost' } },
      'not-needed',
    ],
    [
      'into a group of another chat',
      ofTwo({ group }),
      { ...private_, group: { chat: privateChatId(carol), generation: 1, epoch: 1, standing: 'lost' } },
      'other-chat',
    ],
  ])('%s', (_what, asked, what, rule) => {
    expect(ruleOf(asked, what)).toBe(rule)
  })
})
