// A member's leaf under another credential: the others follow, and members that it adds see only the new device.
import { equalBytes } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import { commitIntent, type MadeCommit } from '../src/group/commit-intent.ts'
import { credentialOf, makeDeviceCertificate } from '../src/group/credentials.ts'
import { decryptMessage, encryptMessage, type GroupSession, rosterOf } from '../src/group/group-session.ts'
import { utf8 } from './bytes.ts'
import { deviceOf, groupOf, join, keyPackageOf, NOW_SEC, type Person, person, provider, wanted } from './people.ts'

async function followed(session: GroupSession, { wire }: MadeCommit) {
  const read = await decryptMessage(session, wire)
  if (read.kind !== 'commit') throw new Error('no commit')
  return read
}

/** The same device under the next serial. */
async function renewed(one: Person): Promise<Person> {
  const { accountKey, deviceKey } = one
  const certificate = await makeDeviceCertificate(provider, {
    accountSecretKey: accountKey.secretKey,
    devicePublicKey: deviceKey.publicKey,
    serial: 2,
    notAfterSec: NOW_SEC + 1,
  })
  return { ...one, credential: credentialOf(accountKey.publicKey, certificate) }
}

const ownOf = ({ credential, deviceKey }: Person) => ({ credential, deviceKey })

describe('[MLS-1.8] the leaf of a committer', () => {
  it.each([
    ['a new device', (one: Person) => deviceOf(one.name, one.accountKey, { serial: 2 })],
    ['a renewed certificate', renewed],
  ])('shows %s after a commit that only adds, and all go on', async (_what, next) => {
    const [alice, bob, carol, dave] = [
      await person('alice'),
      await person('bob'),
      await person('carol'),
      await person('dave'),
    ]
    const [ofAlice, ofBob, ofCarol] = (await groupOf(alice, bob, carol)) as [GroupSession, GroupSession, GroupSession]
    const now = await next(alice)
    const keyPackage = await keyPackageOf(dave)
    const made = await commitIntent(ofAlice, { add: [wanted(dave, keyPackage)], own: ownOf(now) })
    const [atBob, atCarol] = [await followed(ofBob, made), await followed(ofCarol, made)]
    const isOther = !equalBytes(now.deviceKey.publicKey, alice.deviceKey.publicKey)
    expect(atBob.changedKeys).toEqual(isOther ? [alice.accountId] : [])
    const ofDave = await join(made, keyPackage)
    for (const session of [made.session, atBob.session, atCarol.session, ofDave])
      expect(rosterOf(session).get(0)).toMatchObject({ serial: 2, devicePublicKey: now.deviceKey.publicKey })
    const { wire, session } = await encryptMessage(made.session, utf8('by the new key'))
    for (const reader of [atBob.session, atCarol.session, ofDave])
      expect(await decryptMessage(reader, wire)).toMatchObject({ kind: 'application', senderLeaf: 0 })
    const more = await commitIntent(session, { own: ownOf(now) })
    expect((await followed(ofDave, more)).committer).toBe(alice.accountId)
  })

  it('stays as it is where it shows the device already', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const [ofAlice, ofBob] = (await groupOf(alice, bob)) as [GroupSession, GroupSession]
    const made = await commitIntent(ofAlice, { own: ownOf(alice) })
    expect((await followed(ofBob, made)).changedKeys).toEqual([])
  })
})
