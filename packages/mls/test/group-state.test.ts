// A session is restored from its rows and continues reading.
import { firstFormatOf, firstFormatRow, StoredSession } from '@postern/testkit/stored-session'
import { holdsAny, secretsBehind } from '@postern/testkit/thief'
import { describe, expect, it } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import { encryptMessage, epochAuthenticator, type GroupSession, openSession } from '../src/group/group-session.ts'
import { decodeGroup, decodeWhole, encodeEpoch, encodeWhole, isFirstFormat } from '../src/group/group-state.ts'
import { changedSecrets, movedLeaves, ratchetsOf, secretRows } from '../src/group/secret-rows.ts'
import { flipped, hex, text, utf8 } from './bytes.ts'
import { context, groupOf, pair, person, readCommit, readText, trio } from './people.ts'

describe('rows', () => {
  it('[MLS-5.1] of an epoch and its moved ratchets give a session that reads, writes and commits on', async () => {
    const { alice, bob, carol } = await trio()
    const rows = new StoredSession(bob)
    let [a, b] = [alice, bob]
    for (let i = 0; i < 5; i++) {
      const fromAlice = await encryptMessage(a, utf8(`to bob ${i}`))
      a = fromAlice.session
      b = rows.save(b, (await readText(b, fromAlice.wire)).session)
      const fromBob = await encryptMessage(b, utf8(`to alice ${i}`))
      b = rows.save(b, fromBob.session)
      a = (await readText(a, fromBob.wire)).session
    }
    expect(movedLeaves(bob.state, b.state)).toEqual([0, 1])

    const restored = rows.open()
    const next = await encryptMessage(a, utf8('after'))
    expect(text((await readText(restored, next.wire)).plaintext)).toBe('after')
    const answer = await encryptMessage(restored, utf8('answer'))
    expect(text((await readText(a, answer.wire)).plaintext)).toBe('answer')
    const made = await commitIntent(restored, {})
    const read = await readCommit(carol, made.wire)
    expect(hex(epochAuthenticator(read.session))).toBe(hex(epochAuthenticator(made.session)))
  })
  it('[MLS-5.1] keep the keys of skipped messages', async () => {
    const { alice, bob } = await pair()
    const first = await encryptMessage(alice, utf8('first'))
    const second = await encryptMessage(first.session, utf8('second'))
    const rows = new StoredSession(bob)
    rows.save(bob, (await readText(bob, second.wire)).session)
    expect(text((await readText(rows.open(), first.wire)).plaintext)).toBe('first')
    await expect(readText(rows.open(), second.wire)).rejects.toMatchObject({ code: 'mls-replayed' })
  })
  it('[MLS-5.3] of a backup read what the same leaf wrote after it, and then use no key twice', async () => {
    const { alice, bob } = await pair()
    const backup = new StoredSession(alice)
    const sent = await encryptMessage(alice, utf8('after the backup'))
    const read = await readText(backup.open(), sent.wire)
    expect([text(read.plaintext), read.senderLeaf]).toEqual(['after the backup', 0])
    const next = await encryptMessage(read.session, utf8('and on'))
    const bobRead = await readText(bob, sent.wire)
    expect(text((await readText(bobRead.session, next.wire)).plaintext)).toBe('and on')
    const made = await commitIntent(sent.session, {})
    await expect(readCommit(read.session, made.wire)).rejects.toMatchObject({ code: 'mls-own-message' })
  })
  it('[MLS-5.2] are small: a message costs one row of some hundred bytes, whatever the group', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, (_, i) => person(`member ${i}`)))
    const [alice, bob] = (await groupOf(...people)) as [GroupSession, GroupSession]
    const { wire, session } = await encryptMessage(alice, utf8('x'))
    const read = await readText(bob, wire)
    // The first message of a member opens the tree down to its leaf; from then on only its ratchet moves.
    expect(secretRows(bob.state)).toHaveLength(1)
    expect(changedSecrets(bob.state, read.session.state)).toHaveLength(1 + 5 + 1)
    const next = await readText(read.session, (await encryptMessage(session, utf8('y'))).wire)
    const [change, ...others] = changedSecrets(read.session.state, next.session.state)
    expect([change?.node, others.length]).toEqual([0, 0])
    expect(change?.bytes?.length).toBeLessThan(100)
    expect(changedSecrets(bob.state, bob.state)).toEqual([])
  })
  it('[MLS-5.1] survive the caller writing over the buffers they came in', async () => {
    const { alice, bob } = await pair()
    const stored = new StoredSession(bob)
    const restored = stored.open()
    for (const bytes of stored.values()) bytes.fill(0)
    const { wire } = await encryptMessage(alice, utf8('x'))
    expect(text((await readText(restored, wire)).plaintext)).toBe('x')
  })
  it('[MLS-5.4] that are damaged or of another epoch are refused', async () => {
    const { alice } = await pair()
    const epochBlob = encodeEpoch(alice.state)
    const used = (await encryptMessage(alice, utf8('x'))).session
    const [top] = secretRows(alice.state) as [[number, Uint8Array]]
    const [leaf] = secretRows(used.state) as [[number, Uint8Array]]
    const [next] = secretRows((await commitIntent(alice, {})).session.state) as [[number, Uint8Array]]
    const opened = (blob: Uint8Array, rows: [number, Uint8Array][]) => () => decodeGroup(blob, rows, context.config)
    const damaged = expect.objectContaining({ code: 'mls-malformed' })
    expect(opened(epochBlob, [top])).not.toThrow()
    for (const row of [next, [1, leaf[1]], [40, top[1]], [-1, top[1]], [0.5, top[1]]] as [number, Uint8Array][]) {
      expect(opened(epochBlob, [row])).toThrow(damaged)
    }
    for (const bytes of [leaf[1].slice(0, 30), leaf[1].slice(0, 9), top[1].slice(0, -1), flipped(top[1], 8)]) {
      expect(opened(epochBlob, [[0, bytes]])).toThrow(damaged)
    }
    for (const blob of [flipped(epochBlob, 0), epochBlob.slice(0, -1), new Uint8Array(0)]) {
      expect(opened(blob, [])).toThrow(damaged)
    }
  })
  it('[MLS-5.4] in one piece keep the state that follows a commit, and are refused when they are cut short', async () => {
    const { alice, bob } = await pair()
    const made = await commitIntent(alice, {})
    const whole = encodeWhole(made.session.state)
    const next = { context, state: decodeWhole(whole, context.config) }
    const sent = await encryptMessage(next, utf8('after the commit'))
    const read = await readText((await readCommit(bob, made.wire)).session, sent.wire)
    expect(text(read.plaintext)).toBe('after the commit')
    const damaged = expect.objectContaining({ code: 'mls-malformed' })
    for (const length of [0, 1, 4, 5, 100, whole.length - 1]) {
      expect(() => decodeWhole(whole.slice(0, length), context.config)).toThrow(damaged)
    }
  })
})

describe('forward secrecy', () => {
  /** Alice sends this many messages to the others, in order; everybody stores what core would. */
  async function said(sessions: GroupSession[], count: number) {
    const [alice, ...others] = sessions as [GroupSession, ...GroupSession[]]
    let sender = alice
    const stored = { sender: new StoredSession(alice), readers: others.map(other => new StoredSession(other)) }
    const readers = [...others]
    const wires: Uint8Array[] = []
    for (let at = 0; at < count; at++) {
      const sent = await encryptMessage(sender, utf8(`word ${at}`))
      sender = stored.sender.save(sender, sent.session)
      wires.push(sent.wire)
      for (const [which, reader] of readers.entries()) {
        readers[which] = stored.readers[which]?.save(reader, (await readText(reader, sent.wire)).session) ?? reader
      }
    }
    return { stored, wires, next: await encryptMessage(sender, utf8('next')) }
  }
  it('[CORE-15.1] nothing stored opens what was said before, and everything opens what is said next', async () => {
    const { alice, bob, carol } = await trio()
    const { stored, wires, next } = await said([alice, bob, carol], 3)
    for (const session of [stored.sender, ...stored.readers]) {
      for (const wire of wires) expect(holdsAny(session.values(), await secretsBehind(bob, wire))).toBe(false)
      expect(holdsAny(session.values(), await secretsBehind(bob, next.wire))).toBe(true)
    }
  })
  it('[CORE-15.1] a skipped message keeps its own key, and none of those after it', async () => {
    const { alice, bob } = await pair()
    const wires: Uint8Array[] = []
    let sender = alice
    for (let at = 0; at < 4; at++) {
      const sent = await encryptMessage(sender, utf8(`word ${at}`))
      sender = sent.session
      wires.push(sent.wire)
    }
    const [skipped, second, third, unseen] = wires as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
    const stored = new StoredSession(bob)
    let reader = stored.save(bob, (await readText(bob, second)).session)
    reader = stored.save(reader, (await readText(reader, third)).session)
    const readable = async () =>
      Promise.all([skipped, second, third].map(async wire => holdsAny(stored.values(), await secretsBehind(bob, wire))))
    expect(await readable()).toEqual([true, false, false])
    expect(text((await readText(stored.open(), skipped)).plaintext)).toBe('word 0')
    reader = stored.save(reader, (await readText(reader, skipped)).session)
    expect(await readable()).toEqual([false, false, false])
    expect(text((await readText(reader, unseen)).plaintext)).toBe('word 3')
  })
})

describe('the first format', () => {
  it('[CORE-15.3] is read once, goes on, and leaves no used key when it is written again', async () => {
    const { alice, bob } = await pair()
    const first = await encryptMessage(alice, utf8('first'))
    const second = await encryptMessage(first.session, utf8('second'))
    const old = await firstFormatOf(bob)
    expect(isFirstFormat(old)).toBe(true)
    const read = await readText(bob, first.wire)
    const ratchets = ratchetsOf(read.session.state.secretTree[0])
    if (ratchets === undefined) throw new Error('no ratchets')
    const row = firstFormatRow(bob.state.groupContext.epoch, ratchets)
    const secrets = await secretsBehind(bob, first.wire)
    expect(holdsAny([old, row], secrets)).toBe(true)
    const reopened = openSession(context, { epochBlob: old, secretRows: [[0, row]] })
    const rewritten = new StoredSession(reopened)
    expect(isFirstFormat(rewritten.epochBlob)).toBe(false)
    expect(holdsAny(rewritten.values(), secrets)).toBe(false)
    expect(text((await readText(rewritten.open(), second.wire)).plaintext)).toBe('second')
  })
})
