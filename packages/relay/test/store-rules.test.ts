// The rules that all stores share, tested as values: who may append and commit, what changes, and what it costs.
import { randomBytes } from 'node:crypto'
import { type AccountId, accountIdFromHash, isCoded, type MessageId, relayFixedLimits } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { agesAt, setClock } from '../src/store/rules/ages.ts'
import { continuationRefusal, notTakenAlong, takesPlace } from '../src/store/rules/continuations.ts'
import { appendCost, commitCost, isFreeFarewell } from '../src/store/rules/costs.ts'
import { accountsRefusal, groupsRefusal, inviteRefusal, keyPackagesRefusal } from '../src/store/rules/counts.ts'
import { blobsRefusal, bytesPerDay, dayOf, newPeopleRefusal, ofToday } from '../src/store/rules/day-limits.ts'
import { answerKnown, answerStale, type GroupState, nextTs } from '../src/store/rules/group-state.ts'
import { judgeAppend } from '../src/store/rules/judge-append.ts'
import { type AddedAccount, type AskedCommit, judgeCommit } from '../src/store/rules/judge-commit.ts'
import { judgeProfile } from '../src/store/rules/judge-profile.ts'
import { roomFor, soleReader } from '../src/store/rules/mailbox-room.ts'

const DAY_MS = 86_400_000
const limits = relayLimits()

/** The group's members are 1, who created it, 2 and 3; 4 has left it; 5 was never in it. */
const ids = Array.from({ length: 6 }, () => accountIdFromHash(randomBytes(32)))
const id = (num: number): AccountId => ids[num] as AccountId
const find = (account: AccountId): number | undefined => {
  const num = ids.indexOf(account)
  return num === -1 ? undefined : num
}
const group: GroupState = { creator: 1, epoch: 7, lastTs: 100, members: new Set([1, 2, 3]), left: new Set([4]) }
const nobody = accountIdFromHash(randomBytes(32))

const codeOf = (verdict: { kind: string; error?: unknown }): string =>
  verdict.kind === 'refused' && isCoded(verdict.error) ? verdict.error.code : verdict.kind

describe('a message', () => {
  const append = (asked: { sender?: number; epoch?: number; to?: number | AccountId } = {}) => {
    const { sender = 1, epoch = 7, to } = asked
    const recipient = typeof to === 'number' ? { num: to, id: id(to) } : to && { num: undefined, id: to }
    return codeOf(judgeAppend(group, { sender, epoch, to: recipient, isGone: () => false }))
  }

  test('[RELAY-1.12] goes to the members, a direct one to the member that it names', () => {
    expect([append(), append({ to: 2 })]).toEqual(['to-members', 'to-one'])
    expect([append({ to: 5 }), append({ to: 4 }), append({ to: nobody })]).toEqual(Array(3).fill('not-a-member'))
  })

  test('[RELAY-1.7] of another epoch is stale, also one that names a stranger', () => {
    expect([append({ epoch: 6 }), append({ epoch: 8 }), append({ epoch: 6, to: 5 })]).toEqual(Array(3).fill('stale'))
    expect(answerStale(group)).toEqual({ accepted: undefined, epoch: 7 })
  })

  test('[RELAY-1.13] of who has left, or was never there, is refused, whatever its epoch', () => {
    const asked = [{ sender: 4 }, { sender: 5 }, { sender: 5, epoch: 6 }]
    expect(asked.map(append)).toEqual(Array(3).fill('group-unknown'))
  })

  test('[RELAY-1.2] that is in the log is told to its sender, who may have left, and to members, and to nobody else', () => {
    const known = { message: 'm' as MessageId, sender: 4, seq: 3, ts: 50 }
    const accepted = { accepted: { message: 'm', seq: 3, ts: 50, duplicate: true }, epoch: 7 }
    expect([4, 1, 5].map(by => answerKnown(group, known, by))).toEqual([accepted, accepted, undefined])
  })

  test('[RELAY-1.3] is of a later time than the last, also when the clock went back', () => {
    expect([nextTs(group, 1000), nextTs(group, 100), nextTs(group, 5)]).toEqual([1000, 101, 101])
  })
})

describe('a commit', () => {
  const judged = (asked: Partial<AskedCommit> = {}, membersMax = 1000) => {
    const { add = [] } = asked
    const whole = { sender: 1, epoch: 7, add, remove: [], hasWelcome: add.length > 0, ...asked }
    return judgeCommit(group, whole, { membersMax, find, findDeleted: () => undefined })
  }
  const code = (asked: Partial<AskedCommit>, membersMax?: number) => codeOf(judged(asked, membersMax))

  test('[RELAY-1.8] is accepted for the epoch of the group; another is stale, whatever it names', () => {
    expect([code({}), code({ epoch: 6 }), code({ epoch: 8, add: [nobody], remove: [id(5)] })]).toEqual([
      'accepted',
      'stale',
      'stale',
    ])
    expect([code({ sender: 4 }), code({ sender: 5, epoch: 6 })]).toEqual(['group-unknown', 'group-unknown'])
  })

  test('[RELAY-1.11] says who goes and who comes; who goes and comes is healed, and not put out', () => {
    expect(judged({ add: [id(5)], remove: [id(2)] })).toEqual({
      kind: 'accepted',
      change: { added: [{ num: 5, id: id(5) }], removed: [2], putsOut: true },
    })
    expect(judged({ add: [id(2)], remove: [id(2)] })).toMatchObject({ change: { putsOut: false } })
  })

  test('[RELAY-1.13] may name who has left as removed, which puts nobody out', () => {
    expect(judged({ remove: [id(4)] })).toMatchObject({ change: { removed: [4], putsOut: false } })
  })

  test.each<[string, Partial<AskedCommit>, string]>([
    ['an account that is none', { add: [nobody] }, 'account-not-found'],
    ['the removal of one who is not there', { remove: [id(5)] }, 'not-a-member'],
    ['the removal of its own sender', { remove: [id(1)] }, 'bad-field'],
    ['somebody who is there already', { add: [id(2)] }, 'bad-field'],
    ['somebody twice', { add: [id(5), id(5)] }, 'bad-field'],
    ['the removal of somebody twice', { remove: [id(2), id(2)] }, 'bad-field'],
    ['a welcome for nobody', { hasWelcome: true }, 'bad-field'],
    ['nobody to welcome whom it adds', { add: [id(5)], hasWelcome: false }, 'bad-field'],
  ])('[RELAY-1.11] with %s is refused', (_, asked, refusal) => {
    expect(code(asked)).toBe(refusal)
  })

  test('[RELAY-1.29] fills a group up to its limit; who goes by it makes room, who has left before does not', () => {
    expect([code({ add: [id(5)] }, 4), code({ add: [id(5)] }, 3)]).toEqual(['accepted', 'group-full'])
    expect(code({ add: [id(5)], remove: [id(2)] }, 3)).toBe('accepted')
    expect(code({ add: [id(5)], remove: [id(4)] }, 3)).toBe('group-full')
  })
})

describe('a group that carries on another', () => {
  const wasIn = (account: number) => account <= 3

  test('[RELAY-1.38] is made by who is or was in the other; else that one looks as if it did not exist', () => {
    const refusals = [continuationRefusal(1, wasIn), continuationRefusal(5, wasIn), continuationRefusal(1, undefined)]
    expect(refusals.map(refusal => refusal?.code)).toEqual([undefined, 'group-unknown', 'group-unknown'])
  })

  test('[RELAY-1.37] takes its people along, for its creator alone', () => {
    const people = [2, 5]
    expect(notTakenAlong(group, { sender: 1, people }, () => wasIn)).toEqual([5])
    expect(notTakenAlong(group, { sender: 2, people }, () => wasIn)).toEqual(people)
    expect(notTakenAlong(group, { sender: 1, people }, () => undefined)).toEqual(people)
    expect(notTakenAlong(group, { sender: 1, people }, () => account => account === 2)).toEqual(people)
  })
})

describe('limits', () => {
  test('[RELAY-1.30] a message costs its bytes and its rows, a short farewell nothing', () => {
    expect(appendCost(1000, 3) - appendCost(1000, 1)).toBe(appendCost(0, 2) - appendCost(0, 0))
    expect(commitCost({ bytes: 10, readers: 2, named: 1 })).toBeGreaterThan(appendCost(10, 2))
    expect([isFreeFarewell({ kind: 'leave' }, 4096), isFreeFarewell({ kind: 'leave' }, 4097)]).toEqual([true, false])
    expect(isFreeFarewell({ kind: 'message' }, 1)).toBe(false)
  })

  test('[RELAY-1.30] who is new has fewer bytes a day', () => {
    expect(bytesPerDay(limits, limits.newAccountMs - 1)).toBe(limits.newAccountBytesPerDayMax)
    expect(bytesPerDay(limits, limits.newAccountMs)).toBe(limits.bytesPerDayMax)
  })

  test('[RELAY-1.16] new people of a day are limited, and the refusal says when the next day begins', () => {
    const day = dayOf(10 * DAY_MS + 5)
    const max = limits.newPeoplePerDay
    expect(newPeopleRefusal(limits, { met: max - 1, more: 1 }, day)).toBeUndefined()
    expect(newPeopleRefusal(limits, { met: max + 1, more: 0 }, day)).toBeUndefined()
    expect(newPeopleRefusal(limits, { met: max, more: 1 }, day)?.details).toEqual({
      limit: max,
      retryAtMs: 11 * DAY_MS,
    })
    expect([ofToday({ day: 10 }, day), ofToday({ day: 9 }, day)]).toEqual([{ day: 10 }, undefined])
  })

  test('[RELAY-1.29] so are blobs, by their number and by their bytes', () => {
    const { blobsPerDayMax: count, blobsPerDayBytesMax: bytes } = limits
    expect(blobsRefusal(limits, { count, bytes }, 1)).toBeUndefined()
    const past = [
      blobsRefusal(limits, { count: count + 1, bytes }, 1),
      blobsRefusal(limits, { count, bytes: bytes + 1 }, 1),
    ]
    expect(past.map(refusal => refusal?.code)).toEqual(['rate-limited', 'rate-limited'])
  })

  test('[RELAY-1.31] a mailbox is full for who has too much there; one full of others has room for a little', () => {
    const { mailboxBytesMax, mailboxBytesPerSenderMax } = limits
    const empty = { entries: 0, bytes: 0, ownEntries: 0, ownBytes: 0 }
    expect(roomFor(empty, limits)).toBeGreaterThanOrEqual(relayFixedLimits.mailboxLookAfterBytes)
    expect(roomFor({ ...empty, ownBytes: mailboxBytesPerSenderMax }, limits)).toBe(0)
    expect(roomFor({ ...empty, bytes: mailboxBytesMax }, limits)).toBe(relayFixedLimits.mailboxLookAfterBytes)
    expect(
      roomFor({ ...empty, bytes: mailboxBytesMax, ownBytes: relayFixedLimits.mailboxLookAfterBytes }, limits),
    ).toBe(0)
  })
})

test('[RELAY-1.21] a profile is replaced by its next version alone; the same once more is accepted', () => {
  const blob = (text: string) => Buffer.from(text)
  const now = { version: 2, blob: blob('b') }
  const given = (version: number, text: string) => judgeProfile(now, { version, blob: blob(text) })
  expect([given(3, 'c'), given(2, 'b'), given(2, 'c'), given(4, 'd'), given(1, 'a')]).toEqual([
    'next',
    'same',
    'refused',
    'refused',
    'refused',
  ])
  expect(judgeProfile(undefined, { version: 1, blob: blob('a') })).toBe('next')
})

test('[RELAY-1.23] a clock that is set forward makes nothing old; set back, it takes that back', () => {
  const never = { byMs: 0, untilMs: 0 }
  const forward = setClock(never, { byMs: DAY_MS, nowMs: 3 * DAY_MS }, limits)
  expect(agesAt(forward, 3 * DAY_MS)).toBe(2 * DAY_MS)
  expect(agesAt(forward, forward.untilMs)).toBe(forward.untilMs)
  expect(setClock(forward, { byMs: -DAY_MS, nowMs: 2 * DAY_MS }, limits)).toEqual(never)
  expect(setClock(never, { byMs: -DAY_MS, nowMs: DAY_MS }, limits)).toEqual(never)
})

test('[RELAY-1.31] whose mailbox is filled by its sender alone: of two the other, of one whom it adds first', () => {
  const members = (...nums: number[]) => new Map(nums.map(num => [num, id(num)]))
  const [two, three] = [2, 3].map(num => ({ num, id: id(num) })) as [AddedAccount, AddedAccount]
  expect(soleReader(members(1, 2), { sender: 1 })).toEqual(two)
  expect(soleReader(members(1, 2), { sender: 1, added: [three] })).toEqual(two)
  expect(soleReader(members(1), { sender: 1, added: [three] })).toEqual(three)
  const nobodys = [
    soleReader(members(1), { sender: 1 }),
    soleReader(members(1), { sender: 1, added: [two, three] }),
    soleReader(members(1, 2, 3), { sender: 1 }),
  ]
  expect(nobodys).toEqual([undefined, undefined, undefined])
})

test('[RELAY-1.29] [RELAY-1.32] the last one of what is counted is taken, and the next is refused', () => {
  const few = relayLimits({ accountsMax: 2, groupsPerAccountMax: 2, keyPackagesPerAccountMax: 2 })
  const invite = { hash: new Uint8Array(), usesMax: 2, expiresMs: 0 }
  const refusals = (count: number) => [
    accountsRefusal(few, count),
    groupsRefusal(few, count),
    keyPackagesRefusal(few, count + 1),
    inviteRefusal(invite, count),
  ]
  expect(refusals(1)).toEqual(Array(4).fill(undefined))
  expect(refusals(2).map(refusal => refusal?.code)).toEqual([...Array(3).fill('rate-limited'), 'invite-used'])
})

test('[RELAY-1.39] a continuation takes a place that is free, or that nobody was added to, and no other', () => {
  expect([undefined, { isUsed: false }, { isUsed: true }].map(takesPlace)).toEqual([true, true, false])
})
