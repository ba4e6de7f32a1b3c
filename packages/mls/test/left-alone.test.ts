// Removed members must read nothing more, even when their removal left one member alone.
import { readsOn } from '@postern/testkit/removed-follower'
import { describe, expect, it } from 'vitest'
import { type CommitIntent, commitIntent } from '../src/group/commit-intent.ts'
import {
  encryptMessage,
  epochAuthenticator,
  type GroupSession,
  isGuessable,
  openWholeSession,
  settingsOf,
} from '../src/group/group-session.ts'
import { fromBase64, hex, text, utf8 } from './bytes.ts'
import { add, context, groupOf, person, readCommit, readText, trio } from './people.ts'
import { addedAlone, leftAlone } from './vectors/before-fresh-secrets.ts'

const opened = (whole: string): GroupSession => openWholeSession(context, fromBase64(whole))

/** The texts that the removed member reads from these commits and from a text after the last of them. */
async function readAfter(removed: GroupSession, wires: Uint8Array[], last: GroupSession): Promise<string[]> {
  const said = await encryptMessage(last, utf8('without the removed'))
  return (await readsOn(removed, [...wires, said.wire])).map(text)
}

const sessionsOf = async (...names: string[]) => groupOf(...(await Promise.all(names.map(name => person(name)))))

describe('[MLS-8.10] who is left alone commits a fresh secret', () => {
  it.each([
    ['of two', ['alice', 'bob'], 0, [1]],
    ['of two, the first removed by the second', ['alice', 'bob'], 1, [0]],
    ['of five, all others at once', ['alice', 'bob', 'carol', 'dave', 'erin'], 0, [1, 2, 3, 4]],
    ['of five, all others at once by the last', ['alice', 'bob', 'carol', 'dave', 'erin'], 4, [0, 1, 2, 3]],
  ])('in a group %s', async (_name, names, by, removeLeaves) => {
    const sessions = await sessionsOf(...names)
    const removal = await commitIntent(sessions[by] as GroupSession, { removeLeaves })
    const { made, committer, joined } = await add(removal.session, await person('zoe'))
    const [removed] = removeLeaves as [number]
    const before = sessions[removed] as GroupSession
    expect(await readAfter(before, [removal.wire], removal.session)).toEqual([])
    expect(await readAfter(before, [removal.wire, made.wire], committer)).toEqual([])
    expect(hex(epochAuthenticator(joined))).toBe(hex(epochAuthenticator(committer)))
  })

  it.each<[string, CommitIntent]>([
    ['keys of its own', {}],
    ['settings', { settings: utf8('new') }],
  ])('after the removal, with %s', async (_name, intent) => {
    const [alice, bob] = (await sessionsOf('alice', 'bob')) as [GroupSession, GroupSession]
    const removal = await commitIntent(alice, { removeLeaves: [1] })
    const alone = await commitIntent(removal.session, intent)
    const again = await commitIntent(removal.session, intent)
    expect(hex(epochAuthenticator(alone.session))).not.toBe(hex(epochAuthenticator(again.session)))
    expect(await readAfter(bob, [removal.wire, alone.wire], alone.session)).toEqual([])
  })

  it('and a removed member that comes again reads from then on, and nothing from between', async () => {
    const [alice, bob] = (await sessionsOf('alice', 'bob')) as [GroupSession, GroupSession]
    const removal = await commitIntent(alice, { removeLeaves: [1] })
    const between = await encryptMessage(removal.session, utf8('between'))
    const { committer, joined } = await add(between.session, await person('bob'))
    const said = await encryptMessage(committer, utf8('welcome back'))
    expect(text((await readText(joined, said.wire)).plaintext)).toBe('welcome back')
    expect(await readsOn(bob, [removal.wire, between.wire])).toEqual([])
  })

  it('where one of two removes and adds in one commit, the removed member is out as well', async () => {
    const [alice, bob] = (await sessionsOf('alice', 'bob')) as [GroupSession, GroupSession]
    const { made, committer } = await add(alice, await person('carol'), { removeLeaves: [1] })
    expect(await readAfter(bob, [made.wire], committer)).toEqual([])
  })

  it('adding alone carries a path; the founder of a group that nobody left needs none', async () => {
    const [alice] = (await sessionsOf('alice', 'bob')) as [GroupSession]
    expect(alice.state.ratchetTree.some(node => node?.nodeType === 'parent')).toBe(false)
    const removal = await commitIntent(alice, { removeLeaves: [1] })
    const { committer } = await add(removal.session, await person('carol'))
    expect(committer.state.ratchetTree.some(node => node?.nodeType === 'parent')).toBe(true)
    expect(settingsOf(committer)).toEqual(settingsOf(alice))
    expect(isGuessable(committer)).toBe(false)
  })
})

describe('[MLS-8.11] a group that a client of 0.2 left without a fresh secret', () => {
  const bob = opened(leftAlone.bob)
  const removal = fromBase64(leftAlone.removal)

  it('was readable for who was removed: the attack is real', async () => {
    expect(await readAfter(bob, [removal], opened(leftAlone.alice))).toEqual(['without the removed'])
    const addition = fromBase64(addedAlone.addition)
    expect(await readAfter(bob, [removal, addition], opened(addedAlone.alice))).toEqual(['without the removed'])
  })

  it('is healed by adding somebody', async () => {
    const { made, committer, joined } = await add(opened(leftAlone.alice), await person('carol'))
    expect(await readAfter(bob, [removal, made.wire], committer)).toEqual([])
    expect(isGuessable(joined)).toBe(false)
  })

  it('is known as such, to its newcomers as well, until one of them commits', async () => {
    const addition = fromBase64(addedAlone.addition)
    const [alice, erin] = [opened(addedAlone.alice), opened(addedAlone.erin)]
    expect([opened(leftAlone.alice), alice, erin].map(isGuessable)).toEqual([true, true, true])
    const alone = await commitIntent(opened(leftAlone.alice), {})
    expect(isGuessable(alone.session)).toBe(false)
    expect(await readAfter(bob, [removal, alone.wire], alone.session)).toEqual([])
    for (const [by, other] of [
      [alice, erin],
      [erin, alice],
    ] as const) {
      const made = await commitIntent(by, {})
      const followed = (await readCommit(other, made.wire)).session
      expect([made.session, followed].map(isGuessable)).toEqual([false, false])
      expect(await readAfter(bob, [removal, addition, made.wire], made.session)).toEqual([])
    }
  })

  it('is told from all others: new groups, large ones, and those after any commit', async () => {
    const { alice, bob } = await trio()
    expect([alice, bob].map(isGuessable)).toEqual([false, false])
    const update = await commitIntent(bob, {})
    expect(isGuessable(update.session)).toBe(false)
  })
})
