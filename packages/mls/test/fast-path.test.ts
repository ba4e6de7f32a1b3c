// The fast path of a text does what the general one does, byte for byte and error for error.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import { encryptMessage, type GroupSession } from '../src/group/group-session.ts'
import { ratchetsOf } from '../src/group/secret-rows.ts'
import { flipped, hex, utf8 } from './bytes.ts'
import { bentNames, bentText, toldOfBent } from './crafted-text.ts'
import { groupOf, person, readText, trio } from './people.ts'
import { taken, toldBothWays, writtenBothWays } from './two-ways.ts'

type Seats = [GroupSession, GroupSession, GroupSession]
const LEAVES = [0, 1, 2] as const

/** Everybody has sent and received something in this epoch: from here on everything is usual. */
async function warmedUp(): Promise<Seats> {
  const { alice, bob, carol } = await trio()
  const seats: Seats = [alice, bob, carol]
  for (const leaf of LEAVES) {
    const { session, wire } = await encryptMessage(seats[leaf], utf8('hello'))
    for (const other of LEAVES) {
      seats[other] = other === leaf ? session : (await readText(seats[other], wire)).session
    }
  }
  return seats
}

let seats: Seats
/** Nobody has sent anything in this epoch. */
let silent: Seats
beforeAll(async () => {
  seats = await warmedUp()
  const { alice, bob, carol } = await trio()
  silent = [alice, bob, carol]
})

const sizes = fc.oneof(
  fc.nat(300),
  fc.constantFrom(0, 1, 63, 64, 65, 187, 188, 189, 8000, 8100, 8192, 16_383, 16_384, 40_000),
)
const leaves = fc.constantFrom(...LEAVES)
const texts = fc.array(fc.record({ leaf: leaves, size: sizes, fill: fc.nat(255) }), {
  minLength: 1,
  maxLength: 8,
})

/** The outcome of both paths, which must be the same, like the state after it. */
async function agreed(reader: GroupSession, wire: Uint8Array) {
  const { short, general } = await toldBothWays(reader, wire)
  expect(short.what).toEqual(general.what)
  expect(short.session.state).toEqual(general.session.state)
  return short
}

/** The output of both paths, which must be the same. */
async function agreedText(sender: GroupSession, text: Uint8Array) {
  const { short, general } = await writtenBothWays(sender, text)
  expect(hex(short.wire)).toBe(hex(general.wire))
  expect(short.session.state).toEqual(general.session.state)
  return short
}

describe('the fast path', () => {
  it('[MLS-9.1] makes the bytes that the general one makes, and both read them', async () => {
    const before = { ...taken }
    let written = 0
    const property = fc.asyncProperty(texts, fc.boolean(), async (said, isSilent) => {
      const now: Seats = isSilent ? [...silent] : [...seats]
      for (const { leaf, size, fill } of said) {
        const text = new Uint8Array(size).fill(fill)
        const { session, wire } = await agreedText(now[leaf], text)
        now[leaf] = session
        written += 1
        for (const reader of LEAVES.filter(other => other !== leaf)) {
          const heard = await agreed(now[reader], wire)
          expect(heard.what).toEqual({ text: hex(text), senderLeaf: leaf, skipped: 0 })
          now[reader] = heard.session
        }
      }
    })
    await fc.assert(property, { numRuns: 25 })
    // All of them on the fast path: nothing here is unusual.
    expect(taken).toEqual({ seals: before.seals + written, opens: before.opens + 2 * written })
  })

  it('[MLS-9.1] opens the leaves of a larger tree as the general one does, in any order', async () => {
    const names = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan']
    const people = await Promise.all(names.map(name => person(name)))
    const sessions = await groupOf(...people)
    const before = { ...taken }
    let reader = sessions[4] as GroupSession
    for (const leaf of [8, 0, 3, 1, 5]) {
      const { wire } = await agreedText(sessions[leaf] as GroupSession, utf8(`from ${leaf}`))
      const heard = await agreed(reader, wire)
      expect(heard.what).toMatchObject({ senderLeaf: leaf })
      reader = heard.session
    }
    expect(taken).toEqual({ seals: before.seals + 5, opens: before.opens + 5 })
  })

  it('[MLS-9.1] gives the text in bytes that are the reader’s alone', async () => {
    const { wire } = await agreedText(seats[0], utf8('hello'))
    const given = wire.slice()
    const { plaintext } = await readText(seats[1], given)
    given.fill(0)
    await readText(seats[2], wire)
    expect(plaintext).toEqual(utf8('hello'))
    expect(plaintext.buffer.byteLength).toBe(plaintext.length)
    expect(plaintext.constructor).toBe(Uint8Array)
  })

  it('[MLS-9.2] tells the same of texts that are lost, late, repeated or our own', async () => {
    const orders = fc.array(fc.nat(7), { minLength: 1, maxLength: 14 })
    const property = fc.asyncProperty(texts, orders, leaves, async (said, order, reader) => {
      const now: Seats = order.length % 2 === 0 ? [...silent] : [...seats]
      const wires: Uint8Array[] = []
      for (const { leaf, size, fill } of said) {
        const { session, wire } = await agreedText(now[leaf], new Uint8Array(size).fill(fill))
        now[leaf] = session
        wires.push(wire)
      }
      for (const at of order) {
        const wire = wires[at % wires.length]
        if (wire !== undefined) now[reader] = (await agreed(now[reader], wire)).session
      }
    })
    await fc.assert(property, { numRuns: 40 })
  })

  it('[MLS-9.2] tells the same of what our own leaf wrote after a backup, and of what it wrote before', async () => {
    const [backup] = seats
    const { session, wire } = await agreedText(backup, utf8('after'))
    expect((await agreed(backup, wire)).what).toMatchObject({ text: hex(utf8('after')), senderLeaf: 0 })
    expect((await agreed(session, wire)).what).toMatchObject({ code: 'mls-own-message' })
  })

  it('[MLS-9.2] tells the same over gaps as wide as they may be, and wider', async () => {
    let alice = seats[0]
    const wires: Uint8Array[] = []
    for (let i = 0; i <= 202; i++) {
      const { session, wire } = await encryptMessage(alice, utf8(`${i}`))
      alice = session
      wires.push(wire)
    }
    for (const [at, wire] of wires.entries()) {
      if (at > 1 && at < 198) continue
      const { session } = await agreed(seats[1], wire)
      for (const other of wires.slice(Math.max(0, at - 1), at + 2)) await agreed(session, other)
    }
  })

  it('[MLS-9.2] tells the same of an epoch that is over, and reads the next', async () => {
    const [alice, bob] = seats
    const late = await agreedText(alice, utf8('late'))
    const made = await commitIntent(alice, {})
    let reader = (await agreed(bob, made.wire)).session
    expect((await agreed(reader, late.wire)).what).toMatchObject({ code: 'mls-wrong-epoch' })
    let sender = made.session
    for (const word of ['first', 'second']) {
      const { session, wire } = await agreedText(sender, utf8(word))
      sender = session
      const heard = await agreed(reader, wire)
      expect(heard.what).toMatchObject({ text: hex(utf8(word)) })
      reader = heard.session
    }
  })

  it('[MLS-9.6] refuses to send where the general one refuses', async () => {
    const { state, context } = seats[0]
    const unapplied = { proposal: { proposalType: 'remove', remove: { removed: 1 } }, senderLeafIndex: 1 } as const
    const { groupId, cipherSuite } = state.groupContext
    const reinit = { groupId, cipherSuite, version: 'mls10' as const, extensions: [] }
    const states: GroupSession['state'][] = [
      { ...state, unappliedProposals: { reference: unapplied } },
      { ...state, groupActiveState: { kind: 'suspendedPendingReinit', reinit } },
    ]
    for (const stopped of states) {
      const before = taken.seals
      await expect(writtenBothWays({ context, state: stopped }, utf8('hello'))).rejects.toThrow()
      expect(taken.seals).toBe(before)
    }
  })
})

describe('what is forged', () => {
  it('[MLS-9.3] is refused alike, whichever byte is bent and wherever it is cut', async () => {
    const { wire } = await agreedText(seats[0], utf8('hello'))
    for (let at = 0; at < wire.length; at++) {
      expect((await agreed(seats[1], flipped(wire, at))).what).toHaveProperty('code')
      expect((await agreed(seats[1], wire.slice(0, at))).what).toHaveProperty('code')
    }
    expect((await agreed(seats[1], Uint8Array.of(...wire, 0))).what).toMatchObject({ code: 'mls-malformed' })
    expect((await agreed(seats[1], wire)).what).toMatchObject({ senderLeaf: 0 })
  })

  it.each(bentNames)('[MLS-9.3] is judged alike when a member with the keys makes %s', async name => {
    const { what } = await agreed(seats[1], await bentText(name, seats[0]))
    expect(what).toMatchObject(toldOfBent(name))
  })
})

describe('the key of a text', () => {
  it('[MLS-9.5] is gone from the state behind it, of who wrote and of who read', async () => {
    const [alice, bob] = seats
    const ratchetIn = ({ state }: GroupSession) => ratchetsOf(state.secretTree[0])?.application
    const used = ratchetIn(alice)
    const stood = structuredClone(used)
    const sent = await agreedText(alice, utf8('hello'))
    const heard = await agreed(bob, sent.wire)
    for (const { session } of [sent, heard]) {
      const { secret = used?.secret, generation, unusedGenerations } = ratchetIn(session) ?? {}
      expect([generation, unusedGenerations]).toEqual([1 + (used?.generation ?? 0), {}])
      expect(secret).not.toEqual(used?.secret)
    }
    // A caller that could not store the next session continues with this one.
    expect(ratchetIn(alice)).toEqual(stood)
  })
})
