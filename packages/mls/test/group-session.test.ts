// A group through its life: talk, changes, lost races, removal.
import { groupIdFromBytes, wireLimits } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import { TAG_BYTES } from '../src/crypto/provider.ts'
import { makeBrowserProvider } from '../src/crypto/provider-browser.ts'
import { burnHandshakeGeneration, commitIntent } from '../src/group/commit-intent.ts'
import { openDirect, sealDirect } from '../src/group/direct.ts'
import {
  decryptMessage,
  encryptMessage,
  epoch,
  epochAuthenticator,
  exportSecret,
  type GroupSession,
  groupId,
  isActive,
  openWholeSession,
  ownLeaf,
  rosterOf,
  settingsOf,
} from '../src/group/group-session.ts'
import { encodeWhole } from '../src/group/group-state.ts'
import { joinFromWelcome, welcomeReferences } from '../src/group/join-group.ts'
import { generateKeyPackage } from '../src/group/key-package.ts'
import { makeMlsContext } from '../src/group/mls-context.ts'
import { epochOf, groupIdOf, readPrivateMessage } from '../src/group/private-message.ts'
import { movedLeaves } from '../src/group/secret-rows.ts'
import { hex, text, utf8 } from './bytes.ts'
import {
  add,
  context,
  DAY_SEC,
  deviceOf,
  groupOf,
  join,
  keyPackageOf,
  NOW_SEC,
  newGroup,
  pair,
  person,
  readCommit,
  readText,
  trio,
  usualLifetime,
  wanted,
} from './people.ts'

const agree = (...sessions: GroupSession[]) =>
  expect(new Set(sessions.map(session => hex(epochAuthenticator(session)))).size).toBe(1)

describe('exported secrets', () => {
  const asked = { label: 'a use', context: utf8('a group') }
  const exported = async (session: GroupSession, of = asked) => hex(await exportSecret(session, of))

  it('[MLS-2.13] are the same for all members of an epoch, also from a stored session', async () => {
    const { alice, bob, carol } = await trio()
    const stored = openWholeSession(context, encodeWhole(alice.state))
    const secrets = await Promise.all([alice, bob, carol, stored].map(session => exported(session)))
    expect(new Set(secrets).size).toBe(1)
    const { session } = await encryptMessage(alice, utf8('a text'))
    expect(await exported(session)).toBe(secrets[0])
  })
  it('[MLS-2.13] differ by label, context and epoch, and a removed member does not learn the next ones', async () => {
    const { alice, bob, carol } = await trio()
    const { session, wire } = await commitIntent(alice, { removeLeaves: [2] })
    const followed = await readCommit(bob, wire)
    const removed = await decryptMessage(carol, wire)
    expect(await exported(followed.session)).toBe(await exported(session))
    const all = [
      await exported(alice),
      await exported(alice, { ...asked, label: 'another' }),
      await exported(alice, { ...asked, context: utf8('another') }),
      await exported(session),
    ]
    expect(new Set(all).size).toBe(4)
    expect(await exported(removed.session)).not.toBe(all[3])
  })
})

describe('messages', () => {
  it('[MLS-2.1] are read by all others, who know the sender', async () => {
    const { alice, bob, carol } = await trio()
    const sent = await encryptMessage(bob, utf8('hello'))
    for (const reader of [alice, carol]) {
      const read = await readText(reader, sent.wire)
      expect([text(read.plaintext), read.senderLeaf]).toEqual(['hello', 1])
    }
    expect(movedLeaves(bob.state, sent.session.state)).toEqual([1])
  })
  it('[MLS-2.1] go both ways, in any order within reach, from sessions that stay as they were', async () => {
    const { alice, bob } = await pair()
    let sender = alice
    const wires: Uint8Array[] = []
    for (let i = 0; i < 6; i++) {
      const sent = await encryptMessage(sender, utf8(`message ${i}`))
      sender = sent.session
      wires.push(sent.wire)
    }
    let reader = bob
    for (const i of [5, 0, 3, 1, 4, 2]) {
      const read = await readText(reader, wires[i] as Uint8Array)
      expect(text(read.plaintext)).toBe(`message ${i}`)
      reader = read.session
    }
    expect(text((await readText(bob, wires[0] as Uint8Array)).plaintext)).toBe('message 0')
  })
  it('[MLS-2.2] are refused a second time, and by their writer', async () => {
    const { alice, bob } = await pair()
    const { session, wire } = await encryptMessage(alice, utf8('once'))
    const read = await readText(bob, wire)
    await expect(decryptMessage(read.session, wire)).rejects.toMatchObject({ code: 'mls-replayed' })
    await expect(decryptMessage(session, wire)).rejects.toMatchObject({ code: 'mls-own-message' })
  })
  it('[MLS-2.3] reach over a gap of 200 withdrawn ones and no further', async () => {
    const { alice, bob } = await pair()
    let sender = alice
    const wires: Uint8Array[] = []
    for (let i = 0; i <= 201; i++) {
      const sent = await encryptMessage(sender, utf8('x'))
      sender = sent.session
      wires.push(sent.wire)
    }
    await expect(readText(bob, wires[200] as Uint8Array)).resolves.toMatchObject({ senderLeaf: 0 })
    await expect(decryptMessage(bob, wires[201] as Uint8Array)).rejects.toMatchObject({ code: 'mls-undecryptable' })
  })
  it('[MLS-2.4] are padded: a short text does not tell its length', async () => {
    const { alice } = await pair()
    const sizeOf = async (bytes: number) => (await encryptMessage(alice, new Uint8Array(bytes))).wire.length
    // Besides the text: its length, and the signature after its own.
    const fitting = wireLimits.paddingStepBytes - 68
    expect(await sizeOf(0)).toBe(await sizeOf(fitting))
    expect(await sizeOf(fitting)).toBeLessThan(await sizeOf(fitting + 1))
    expect(await sizeOf(fitting + 1)).toBe(await sizeOf(fitting + wireLimits.paddingStepBytes))
    for (const bytes of [0, 63, 64, fitting, fitting + 1, 20_000, 65_536]) {
      const { ciphertext } = readPrivateMessage((await encryptMessage(alice, new Uint8Array(bytes))).wire)
      expect((ciphertext.length - TAG_BYTES) % wireLimits.paddingStepBytes).toBe(0)
    }
  })
  it('[MLS-2.4] commits are padded as well: they do not tell the length of settings, nor of anything else', async () => {
    const { alice, bob } = await pair()
    const sizes = new Set<number>()
    for (const bytes of [0, 1, 40, 63, 64, 90]) {
      const { wire, session } = await commitIntent(alice, { settings: new Uint8Array(bytes) })
      sizes.add(wire.length)
      expect(epoch((await readCommit(bob, wire)).session)).toBe(epoch(session))
    }
    for (const intent of [{}, { removeLeaves: [1] }, { settings: new Uint8Array(3000) }]) {
      const { ciphertext } = readPrivateMessage((await commitIntent(alice, intent)).wire)
      expect((ciphertext.length - TAG_BYTES) % wireLimits.paddingStepBytes).toBe(0)
    }
    expect(sizes.size).toBe(1)
  })
  it('[MLS-2.4] show group and epoch in clear', async () => {
    const { alice } = await pair()
    const { wire } = await encryptMessage(alice, utf8('x'))
    expect(epochOf(wire)).toBe(1)
    expect(epoch(alice)).toBe(1)
    expect(groupIdOf(wire)).toBe(groupId(alice))
    expect(groupId(alice)).toBe(groupIdFromBytes(alice.state.groupContext.groupId))
  })
})

describe('changes', () => {
  it('[MLS-2.5] an update gives all members the same new epoch', async () => {
    const { alice, bob, carol } = await trio()
    const made = await commitIntent(alice, {})
    const [b, c] = [await readCommit(bob, made.wire), await readCommit(carol, made.wire)]
    agree(made.session, b.session, c.session)
    expect(b).toMatchObject({ committerLeaf: 0, addedLeaves: [], removedLeaves: [], removedSelf: false })
    expect(epoch(b.session)).toBe(2)
    expect(made.welcome).toBeUndefined()
  })
  it('[MLS-2.5] add, remove and settings go in one commit', async () => {
    const { alice, bob, carol } = await trio()
    const dave = await person('dave')
    const keyPackage = await keyPackageOf(dave)
    const made = await commitIntent(alice, {
      add: [wanted(dave, keyPackage)],
      removeLeaves: [2],
      settings: utf8('renamed'),
    })
    const b = await readCommit(bob, made.wire)
    const d = await join(made, keyPackage)
    agree(made.session, b.session, d)
    expect(b).toMatchObject({ addedLeaves: [2], removedLeaves: [2], removedSelf: false })
    expect(text(settingsOf(d))).toBe('renamed')
    expect(rosterOf(b.session).get(2)?.accountId).toBe(dave.accountId)
    expect(ownLeaf(d)).toBe(2)
    const c = await readCommit(carol, made.wire)
    expect(c).toMatchObject({ removedSelf: true, committerLeaf: 0, removedLeaves: [2] })
  })
  it('[MLS-2.6] a removed member is told so and can do nothing more', async () => {
    const { alice, bob, carol } = await trio()
    const made = await commitIntent(alice, { removeLeaves: [1] })
    const gone = (await readCommit(bob, made.wire)).session
    expect(isActive(gone)).toBe(false)
    const { wire } = await encryptMessage(made.session, utf8('without bob'))
    await expect(decryptMessage(gone, wire)).rejects.toMatchObject({ code: 'mls-removed' })
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ code: 'mls-wrong-epoch' })
    await expect(encryptMessage(gone, utf8('x'))).rejects.toMatchObject({ code: 'mls-removed' })
    await expect(commitIntent(gone, {})).rejects.toMatchObject({ code: 'mls-removed' })
    const read = await readText((await readCommit(carol, made.wire)).session, wire)
    expect(text(read.plaintext)).toBe('without bob')
  })
  it('[MLS-2.5] a member can be added again, also in the commit that removes it', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const [first] = (await groupOf(alice, bob)) as [GroupSession]
    const again = await add(first, bob, { removeLeaves: [1] })
    agree(again.committer, again.joined)
  })
  it('[MLS-2.5] settings alone reach everybody', async () => {
    const { alice, bob } = await pair()
    const made = await commitIntent(alice, { settings: utf8('two') })
    const read = await readCommit(bob, made.wire)
    expect([text(settingsOf(bob)), text(settingsOf(read.session))]).toEqual(['settings', 'two'])
  })
  it('[MLS-2.6] nobody removes themselves, or an empty leaf', async () => {
    const { alice } = await pair()
    for (const leaf of [0, 2, 9, -1, 0.5]) {
      await expect(commitIntent(alice, { removeLeaves: [leaf] })).rejects.toMatchObject({ code: 'mls-forbidden' })
    }
  })
  it('[MLS-2.7] of two commits in one epoch the first wins; the loser applies it and makes its own again', async () => {
    const { alice, bob, carol } = await trio()
    const [winner, loser] = [await commitIntent(alice, {}), await commitIntent(bob, {})]
    const applied = (await readCommit(bob, winner.wire)).session
    const again = await commitIntent(applied, {})
    const c = await readCommit((await readCommit(carol, winner.wire)).session, again.wire)
    agree(again.session, c.session, (await readCommit(winner.session, again.wire)).session)
    await expect(decryptMessage(applied, loser.wire)).rejects.toMatchObject({ code: 'mls-wrong-epoch' })
  })
  it('[MLS-2.7] a second commit in one epoch, from the burnt session, uses another key and is readable', async () => {
    const { alice, bob } = await pair()
    const first = await commitIntent(alice, {})
    const burnt = await burnHandshakeGeneration(alice)
    expect(movedLeaves(alice.state, burnt.state)).toEqual([0])
    const second = await commitIntent(burnt, {})
    agree(second.session, (await readCommit(bob, second.wire)).session)
    agree(first.session, (await readCommit(bob, first.wire)).session)
    await expect(decryptMessage(alice, first.wire)).rejects.toMatchObject({ code: 'mls-own-message' })
  })
  it('[MLS-2.8] keep no keys of past epochs, and none of blank nodes', async () => {
    const { alice, bob } = await trio()
    const made = await commitIntent((await readCommit(bob, (await commitIntent(alice, {})).wire)).session, {
      removeLeaves: [2],
    })
    const { state } = made.session
    expect(state.historicalReceiverData.size).toBe(0)
    for (const index of Object.keys(state.privatePath.privateKeys)) {
      expect(state.ratchetTree[Number(index)]).toBeDefined()
    }
  })
})

describe('joining', () => {
  it('[MLS-2.9] finds its key package among others, and tells which one and who invited', async () => {
    const [alice, bob, carol] = [await person('alice'), await person('bob'), await person('carol')]
    const group = await add(await newGroup(alice), bob)
    const keyPackage = await keyPackageOf(carol)
    const made = await commitIntent(group.joined, { add: [wanted(carol, keyPackage)] })
    const welcome = made.welcome as Uint8Array
    expect(welcomeReferences(welcome).map(hex)).toEqual([hex(keyPackage.reference)])
    const joined = await joinFromWelcome(context, { welcome, findKeyPackage: () => keyPackage })
    expect(joined.inviterLeaf).toBe(1)
    expect(hex(joined.reference)).toBe(hex(keyPackage.reference))
    await expect(joinFromWelcome(context, { welcome, findKeyPackage: () => undefined })).rejects.toMatchObject({
      code: 'mls-not-invited',
    })
  })
  it('[MLS-1.3] refuses a key package that is expired, not yet valid, endless, or made for another account', async () => {
    const [alice, bob, mallory] = [await person('alice'), await person('bob'), await person('mallory')]
    const group = await newGroup(alice)
    const refused = { code: 'mls-bad-key-package' }
    for (const [notBeforeSec, notAfterSec] of [
      [NOW_SEC - DAY_SEC, NOW_SEC - 1],
      [NOW_SEC + 1, NOW_SEC + DAY_SEC],
      [0, NOW_SEC + DAY_SEC],
    ] as const) {
      const keyPackage = await keyPackageOf(bob, { notBeforeSec, notAfterSec })
      await expect(commitIntent(group, { add: [wanted(bob, keyPackage)] })).rejects.toMatchObject(refused)
    }
    const hers = await keyPackageOf(mallory)
    await expect(commitIntent(group, { add: [wanted(bob, hers)] })).rejects.toMatchObject(refused)
    const stale = await person('stale', NOW_SEC - 1)
    await expect(commitIntent(group, { add: [wanted(stale, await keyPackageOf(stale))] })).rejects.toMatchObject(
      refused,
    )
  })
  it('[MLS-2.10] a second leaf for an account is refused, with the same device or another, now or in one commit', async () => {
    const [alice, bob, carol] = [await person('alice'), await person('bob'), await person('carol')]
    const [session] = (await groupOf(alice, bob)) as [GroupSession]
    const refused = { code: 'mls-duplicate-account' }
    for (const device of [bob, await deviceOf('bob', bob.accountKey)]) {
      const keyPackage = await keyPackageOf(device)
      await expect(commitIntent(session, { add: [wanted(bob, keyPackage)] })).rejects.toMatchObject(refused)
    }
    const both = [wanted(carol, await keyPackageOf(carol)), wanted(carol, await keyPackageOf(carol))]
    await expect(commitIntent(session, { add: both })).rejects.toMatchObject(refused)
  })
})

describe('a browser and a Node client', () => {
  it('[MLS-7.4] share a group: join, talk, change, write to one alone', async () => {
    const browser = makeMlsContext(await makeBrowserProvider(), () => NOW_SEC)
    const [alice, bob] = [await person('alice'), await person('bob')]
    const { credential, deviceKey } = bob
    const keyPackage = await generateKeyPackage(browser, { credential, deviceKey, lifetime: usualLifetime })
    const made = await commitIntent(await newGroup(alice), { add: [wanted(bob, keyPackage)] })
    const welcome = made.welcome as Uint8Array
    const joined = await joinFromWelcome(browser, { welcome, findKeyPackage: () => keyPackage })

    const sent = await encryptMessage(joined.session, utf8('from the browser'))
    const read = await readText(made.session, sent.wire)
    expect([text(read.plaintext), read.senderLeaf]).toEqual(['from the browser', 1])
    const update = await commitIntent(sent.session, { settings: utf8('renamed there') })
    const applied = await readCommit(read.session, update.wire)
    agree(update.session, applied.session)
    const answer = await sealDirect(applied.session, 1, utf8('toast'))
    expect(text((await openDirect(update.session, answer)).plaintext)).toBe('toast')
  })
})
