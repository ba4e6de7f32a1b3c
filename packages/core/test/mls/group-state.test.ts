// A session comes back from its rows and reads on.
import { describe, expect, it } from 'vitest'
import { commitIntent } from '../../src/mls/commit-intent.ts'
import { encryptMessage, epochAuthenticator, type GroupSession, openSession } from '../../src/mls/group-session.ts'
import { changedRatchets, decodeGroup, encodeEpoch, encodeRatchet } from '../../src/mls/group-state.ts'
import { flipped, hex, text, utf8 } from './bytes.ts'
import { context, groupOf, pair, person, readCommit, readText, trio } from './people.ts'

/** What core does: the epoch when it begins, then each ratchet that moved. */
class Rows {
  readonly #epochBlob: Uint8Array
  readonly ratchets = new Map<number, Uint8Array>()
  constructor(session: GroupSession) {
    this.#epochBlob = encodeEpoch(session.state)
  }
  save(before: GroupSession, after: GroupSession): GroupSession {
    for (const node of changedRatchets(before.state, after.state)) {
      this.ratchets.set(node, encodeRatchet(after.state, node))
    }
    return after
  }
  open(): GroupSession {
    return openSession(context, { epochBlob: this.#epochBlob, ratchetRows: this.ratchets })
  }
}

describe('rows', () => {
  it('of an epoch and its moved ratchets give a session that reads, writes and commits on', async () => {
    const { alice, bob, carol } = await trio()
    const rows = new Rows(bob)
    let [a, b] = [alice, bob]
    for (let i = 0; i < 5; i++) {
      const fromAlice = await encryptMessage(a, utf8(`to bob ${i}`))
      a = fromAlice.session
      b = rows.save(b, (await readText(b, fromAlice.wire)).session)
      const fromBob = await encryptMessage(b, utf8(`to alice ${i}`))
      b = rows.save(b, fromBob.session)
      a = (await readText(a, fromBob.wire)).session
    }
    expect(new Set(rows.ratchets.keys())).toEqual(new Set([0, 2]))

    const restored = rows.open()
    const next = await encryptMessage(a, utf8('after'))
    expect(text((await readText(restored, next.wire)).plaintext)).toBe('after')
    const answer = await encryptMessage(restored, utf8('answer'))
    expect(text((await readText(a, answer.wire)).plaintext)).toBe('answer')
    const made = await commitIntent(restored, {})
    const read = await readCommit(carol, made.wire)
    expect(hex(epochAuthenticator(read.session))).toBe(hex(epochAuthenticator(made.session)))
  })
  it('keep the keys of skipped messages', async () => {
    const { alice, bob } = await pair()
    const first = await encryptMessage(alice, utf8('first'))
    const second = await encryptMessage(first.session, utf8('second'))
    const rows = new Rows(bob)
    rows.save(bob, (await readText(bob, second.wire)).session)
    expect(text((await readText(rows.open(), first.wire)).plaintext)).toBe('first')
    await expect(readText(rows.open(), second.wire)).rejects.toMatchObject({ code: 'mls-replayed' })
  })
  it('of a backup read what the same leaf wrote after it, and then use no key twice', async () => {
    const { alice, bob } = await pair()
    const backup = new Rows(alice)
    const sent = await encryptMessage(alice, utf8('after the backup'))
    const read = await readText(backup.open(), sent.wire)
    expect([text(read.plaintext), read.senderLeaf]).toEqual(['after the backup', 0])
    const next = await encryptMessage(read.session, utf8('and on'))
    const bobRead = await readText(bob, sent.wire)
    expect(text((await readText(bobRead.session, next.wire)).plaintext)).toBe('and on')
    const made = await commitIntent(sent.session, {})
    await expect(readCommit(read.session, made.wire)).rejects.toMatchObject({ code: 'mls-own-message' })
  })
  it('are small: a message costs one row of some hundred bytes, whatever the group', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, (_, i) => person(`member ${i}`)))
    const [alice, bob] = (await groupOf(...people)) as [GroupSession, GroupSession]
    const { wire } = await encryptMessage(alice, utf8('x'))
    const read = await readText(bob, wire)
    expect(changedRatchets(bob.state, read.session.state)).toEqual([0])
    expect(encodeRatchet(read.session.state, 0).length).toBeLessThan(100)
    expect(changedRatchets(bob.state, bob.state)).toEqual([])
  })
  it('survive the caller writing over the buffers they came in', async () => {
    const { alice, bob } = await pair()
    const epochBlob = encodeEpoch(bob.state)
    const restored = openSession(context, { epochBlob, ratchetRows: [] })
    epochBlob.fill(0)
    const { wire } = await encryptMessage(alice, utf8('x'))
    expect(text((await readText(restored, wire)).plaintext)).toBe('x')
  })
  it('that are damaged or of another epoch are refused', async () => {
    const { alice } = await pair()
    const epochBlob = encodeEpoch(alice.state)
    const next = (await commitIntent(alice, {})).session
    const opened = (blob: Uint8Array, rows: [number, Uint8Array][]) => () => decodeGroup(blob, rows, context.config)
    const damaged = expect.objectContaining({ code: 'mls-malformed' })
    expect(opened(epochBlob, [[0, encodeRatchet(next.state, 0)]])).toThrow(damaged)
    expect(opened(epochBlob, [[1, encodeRatchet(alice.state, 0)]])).toThrow(damaged)
    expect(opened(epochBlob, [[40, encodeRatchet(alice.state, 0)]])).toThrow(damaged)
    expect(opened(epochBlob, [[0, encodeRatchet(alice.state, 0).slice(0, 30)]])).toThrow(damaged)
    expect(opened(flipped(epochBlob, 0), [])).toThrow(damaged)
    expect(opened(epochBlob.slice(0, -1), [])).toThrow(damaged)
    expect(opened(new Uint8Array(0), [])).toThrow(damaged)
  })
})
