// The checker of relays must find every fault: in mailboxes that agree with the book, one thing is changed at a time.
import type { AccountId, GroupId, MessageId } from '@postern/protocol'
import { expect, test } from 'vitest'
import { checkRelays, type Evidence } from '../src/relays/check/check-relays.ts'
import type { Deed, Kept, Mailbox, Told } from '../src/relays/check/deed.ts'

const group = 'group' as GroupId
const [alice, bob, carol] = ['alice', 'bob', 'carol'] as AccountId[] as [AccountId, AccountId, AccountId]

type Sent = Partial<Pick<Deed, 'kind' | 'to' | 'add' | 'remove'>> & { by: AccountId; seq: number; epoch: number }

const accepted = (seq: number, place = seq): Told => ({
  ...{ kind: 'accepted', isDuplicate: false, line: 0 },
  ...{ seq, ts: seq * 10, place },
})

const deedOf = (name: string, { by, seq, epoch, ...given }: Sent): Deed => ({
  ...{ kind: 'message', to: undefined, add: [], remove: [], label: name, told: [accepted(seq)], ...given },
  ...{ message: name as MessageId, group, sender: by, epoch },
})

/** alice adds bob and carol; they talk; carol is removed, and added again. */
const deeds: Deed[] = [
  deedOf('in', { by: alice, seq: 1, epoch: 0, kind: 'commit', add: [bob, carol] }),
  deedOf('hello', { by: bob, seq: 2, epoch: 1 }),
  deedOf('to carol', { by: alice, seq: 3, epoch: 1, kind: 'direct', to: carol }),
  deedOf('out', { by: bob, seq: 4, epoch: 1, kind: 'commit', remove: [carol] }),
  deedOf('without her', { by: alice, seq: 5, epoch: 2 }),
  deedOf('again', { by: bob, seq: 6, epoch: 2, kind: 'commit', add: [carol] }),
  deedOf('all', { by: carol, seq: 7, epoch: 3 }),
  deedOf('farewell', { by: bob, seq: 8, epoch: 3, kind: 'leave' }),
  { ...deedOf('late', { by: alice, seq: 0, epoch: 2 }), told: [{ kind: 'absent', why: 'the group is in epoch 3' }] },
]

const entryOf = (name: string, cursor: number): Kept => {
  const deed = deeds.find(({ message }) => message === name) as Deed
  const { message, sender, kind, epoch, add, remove, told } = deed
  const { seq, ts } = told[0] as Extract<Told, { kind: 'accepted' }>
  return { cursor, group, seq, ts, kind, sender, message, epoch, added: [...add], removed: [...remove] }
}

const welcomeOf = (name: string, cursor: number): Kept => {
  const commit = entryOf(name, cursor)
  const message = `welcome ${name}` as MessageId
  return { ...commit, kind: 'welcome', message, epoch: commit.epoch + 1, added: [], removed: [] }
}

const at = (names: readonly string[]): Kept[] =>
  names.map((name, place) => {
    const cursor = (place + 1) * 3
    return name.startsWith('+') ? welcomeOf(name.slice(1), cursor) : entryOf(name, cursor)
  })

const whole = {
  alice: ['in', 'hello', 'out', 'again', 'all', 'farewell'],
  bob: ['+in', 'out', 'without her', 'again', 'all'],
  carol: ['+in', 'hello', 'to carol', 'out', '+again', 'farewell'],
}

function evidenceOf(names: Partial<typeof whole> = {}): Evidence {
  const mailboxes: Mailbox[] = Object.entries({ ...whole, ...names }).map(([account, kept]) => ({
    account: account as AccountId,
    entries: at(kept),
  }))
  return { deeds, creators: new Map([[group, alice]]), mailboxes, heard: new Map([[bob, at(whole.bob)]]) }
}

const wrongIn = (evidence: Evidence): string[] =>
  [...new Set(checkRelays(evidence).map(({ wrong }) => wrong))].toSorted()

test('[RELAY-7.21] mailboxes that agree with the book are in order', () => {
  expect(checkRelays(evidenceOf())).toEqual([])
})

test.each<[string, Partial<typeof whole>, string[]]>([
  ['an entry that one of them does not have', { carol: ['+in', 'to carol', 'out', '+again', 'farewell'] }, ['lost']],
  ['an entry twice', { alice: ['in', 'hello', 'hello', 'out', 'again', 'all', 'farewell'] }, ['doubled']],
  ['two entries in another order', { alice: ['in', 'out', 'hello', 'again', 'all', 'farewell'] }, ['reordered']],
  [
    'an entry behind a removal',
    { carol: ['+in', 'hello', 'to carol', 'out', 'without her', '+again', 'farewell'] },
    ['invented'],
  ],
  [
    'the commit that lets in, at who is let in',
    { bob: ['in', '+in', 'out', 'without her', 'again', 'all'] },
    ['different', 'invented'],
  ],
  [
    'a direct message at somebody else',
    { alice: ['in', 'hello', 'to carol', 'out', 'again', 'all', 'farewell'] },
    ['invented'],
  ],
  ['a welcome that did not come', { carol: ['+in', 'hello', 'to carol', 'out', 'farewell'] }, ['lost']],
  [
    'a message that nobody has',
    { alice: ['in', 'out', 'again', 'all', 'farewell'], carol: ['+in', 'to carol', 'out', '+again', 'farewell'] },
    ['lost'],
  ],
])('[RELAY-7.21] mailboxes: %s is found', (_, names, wrong) => {
  expect(wrongIn(evidenceOf(names))).toEqual(wrong)
})

const spoilt = (name: string, change: Partial<Kept>): Evidence => {
  const evidence = evidenceOf()
  const spoil = (entry: Kept): Kept => (entry.message === name ? { ...entry, ...change } : entry)
  return { ...evidence, mailboxes: evidence.mailboxes.map(each => ({ ...each, entries: each.entries.map(spoil) })) }
}

test.each<[string, Evidence, string[]]>([
  ['two winners of an epoch', spoilt('again', { epoch: 1 }), ['different', 'reordered']],
  ['a time that goes back', spoilt('without her', { ts: 31 }), ['different', 'reordered']],
  ['one message at two places', spoilt('all', { message: 'hello' as MessageId }), ['different', 'doubled', 'lost']],
  ['another sender', spoilt('hello', { sender: carol }), ['different', 'lost']],
  ['something that nobody sent', spoilt('farewell', { message: 'noise' as MessageId }), ['invented', 'lost']],
])('[RELAY-7.21] the log: %s is found', (_, evidence, wrong) => {
  expect(wrongIn(evidence)).toEqual(expect.arrayContaining(wrong))
})

const told = (name: string, ...answers: Told[]): Evidence => {
  const isSo = (deed: Deed): Deed => (deed.message === name ? { ...deed, told: answers } : deed)
  return { ...evidenceOf(), deeds: deeds.map(isSo) }
}

test.each<[string, Evidence, string[]]>([
  ['what was accepted and is not there', told('late', accepted(9)), ['lost']],
  ['what was refused and is there', told('hello', { kind: 'absent', why: 'group-unknown' }), ['invented']],
  ['what was told to be elsewhere', told('hello', accepted(3)), ['different']],
  ['what was told first so, then otherwise', told('hello', accepted(2), { kind: 'absent', why: '' }), ['invented']],
  ['what was sent after what it is before', told('again', accepted(6, 1)), ['reordered']],
])('[RELAY-7.21] senders: %s is found', (_, evidence, wrong) => {
  expect(wrongIn(evidence)).toEqual(wrong)
})

test('[RELAY-7.21] deliveries: one that was passed over, or came twice, is found', () => {
  const heardBy = (names: string[]): Evidence => ({ ...evidenceOf(), heard: new Map([[bob, at(names)]]) })
  expect(wrongIn(heardBy(whole.bob.slice(0, 3)))).toEqual(['different'])
  expect(wrongIn(heardBy(['+in', '+in', ...whole.bob.slice(1)]))).toEqual(['different'])
})
