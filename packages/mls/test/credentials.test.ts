// The identity on a leaf: an account that certified the device, and never a mere claim.
import { isAccountId } from '@postern/protocol'
import {
  type ClientState,
  type Credential,
  createCommit,
  defaultAuthenticationService,
  encodeMlsMessage,
  type Proposal,
} from 'ts-mls'
import { describe, expect, it } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import {
  accountIdOf,
  assertContinuity,
  credentialOf,
  leafOf,
  type Member,
  makeAuthenticationService,
  makeDeviceCertificate,
  parseCredential,
  roster,
} from '../src/group/credentials.ts'
import { decryptMessage, type GroupSession, rosterOf } from '../src/group/group-session.ts'
import { joinFromWelcome } from '../src/group/join-group.ts'
import { decodeKeyPackage } from '../src/group/key-package.ts'
import { flipped, fromHex } from './bytes.ts'
import {
  context,
  deviceOf,
  groupOf,
  join,
  keyPackageOf,
  NOW_SEC,
  newGroup,
  type Person,
  pair,
  person,
  provider,
  readCommit,
  trio,
  wanted,
} from './people.ts'

/** A member whose client checks nothing. */
function hostile({ state }: GroupSession): ClientState {
  return { ...state, clientConfig: { ...state.clientConfig, authService: defaultAuthenticationService } }
}
async function hostileCommit(state: ClientState, extraProposals: Proposal[] = []) {
  const { cipherSuite } = provider
  const made = await createCommit({ state, cipherSuite }, { extraProposals, ratchetTreeExtension: true })
  return { made, wire: encodeMlsMessage(made.commit) }
}
/** Another account's credential on the forger's own device key. */
async function forgedPackage(victim: Person) {
  return keyPackageOf({ credential: victim.credential, deviceKey: await provider.generateSigningKey() })
}
const addOf = (publicBytes: Uint8Array): Proposal => ({
  proposalType: 'add',
  add: { keyPackage: decodeKeyPackage(publicBytes) },
})

describe('account ids', () => {
  it('[MLS-3.1] are 32 letters and prove their key', () => {
    const key = fromHex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a')
    const id = accountIdOf(provider, key)
    expect(id).toMatch(/^[a-z2-7]{32}$/)
    expect(isAccountId(id)).toBe(true)
    expect(accountIdOf(provider, flipped(key, 31))).not.toBe(id)
  })
})

describe('credentials', () => {
  const service = makeAuthenticationService(provider)
  it('[MLS-3.2] carry the account key and its certificate', async () => {
    const alice = await person('alice', NOW_SEC + 5)
    const parsed = parseCredential(alice.credential)
    expect(parsed?.accountPublicKey).toEqual(alice.accountKey.publicKey)
    expect(parsed?.certificate.notAfterSec).toBe(NOW_SEC + 5)
    expect(await service.validateCredential(alice.credential, alice.deviceKey.publicKey)).toBe(true)
  })
  it('[MLS-3.2] are refused for another device, when any byte differs, and when they are of another kind', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const device = alice.deviceKey.publicKey
    expect(await service.validateCredential(alice.credential, bob.deviceKey.publicKey)).toBe(false)
    if (!('identity' in alice.credential)) throw new Error('not basic')
    const { identity } = alice.credential
    for (let at = 0; at < identity.length; at++) {
      const credential = { credentialType: 'basic', identity: flipped(identity, at) } as const
      expect(await service.validateCredential(credential, device)).toBe(false)
    }
    for (const size of [0, 104, 106]) {
      const credential = { credentialType: 'basic', identity: new Uint8Array(size).fill(1) } as const
      expect(parseCredential(credential)).toBeUndefined()
      expect(await service.validateCredential(credential, device)).toBe(false)
    }
    const x509 = { credentialType: 'x509', certificates: [identity] } satisfies Credential
    expect(await service.validateCredential(x509, device)).toBe(false)
    expect(() => credentialOf(device, new Uint8Array(71))).toThrow(RangeError)
  })
  it('[MLS-3.3] that have expired keep a group readable, and only cannot be added', async () => {
    const [alice, bob] = [await person('alice'), await person('bob', NOW_SEC - 1)]
    const keyPackage = await keyPackageOf(bob)
    const add = [wanted(bob, keyPackage)]
    const founded = await newGroup(alice)
    await expect(commitIntent(founded, { add })).rejects.toMatchObject({ code: 'mls-bad-key-package' })
    const inTime = { ...founded, context: { ...context, nowSec: () => NOW_SEC - 10 } }
    const made = await commitIntent(inTime, { add })
    const joined = await join(made, keyPackage)
    const update = await commitIntent(joined, {})
    expect((await readCommit(made.session, update.wire)).committerLeaf).toBe(1)
  })
})

describe('forged members', () => {
  it('[MLS-3.4] are refused by whoever would add them', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const forged = await forgedPackage(bob)
    const adding = commitIntent(await newGroup(alice), { add: [wanted(bob, forged)] })
    await expect(adding).rejects.toMatchObject({ code: 'mls-bad-key-package', message: /forged/ })
  })
  it('[MLS-3.4] are refused by whoever reads the commit of a hostile member, and by whoever joins such a group', async () => {
    const { alice, bob } = await pair()
    const victim = await person('victim')
    const forged = await forgedPackage(victim)
    const { made, wire } = await hostileCommit(hostile(alice), [addOf(forged.publicBytes)])
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ code: 'mls-forbidden' })
    const carol = await person('carol')
    const hers = await keyPackageOf(carol)
    const next = await hostileCommit(made.newState, [addOf(hers.publicBytes)])
    if (next.made.welcome === undefined) throw new Error('no welcome')
    const welcome = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: next.made.welcome })
    const joining = joinFromWelcome(context, { welcome, findKeyPackage: () => hers })
    await expect(joining).rejects.toMatchObject({ code: 'mls-malformed' })
  })
  it('[MLS-2.10] are refused when an account gets a second leaf', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const [first, second] = (await groupOf(alice, bob)) as [GroupSession, GroupSession]
    const twin = await keyPackageOf(await deviceOf('bob', bob.accountKey))
    const { wire } = await hostileCommit(hostile(first), [addOf(twin.publicBytes)])
    await expect(decryptMessage(second, wire)).rejects.toMatchObject({
      code: 'mls-forbidden',
      message: /on two leaves/,
    })
  })
})

describe('continuity', () => {
  /** A member commits with another credential on its own leaf. */
  async function turnedInto(session: GroupSession, other: Pick<Person, 'credential' | 'deviceKey'>) {
    const state = hostile(session)
    const tree = state.ratchetTree.slice()
    const own = tree[0]
    if (own?.nodeType !== 'leaf') throw new Error('no leaf')
    const { credential, deviceKey } = other
    tree[0] = { ...own, leaf: { ...own.leaf, credential, signaturePublicKey: deviceKey.publicKey } }
    return (await hostileCommit({ ...state, ratchetTree: tree })).wire
  }
  it('[MLS-3.5] a member cannot take somebody else’s name', async () => {
    const { alice, bob } = await pair()
    const eve = await person('eve')
    const state = { ...hostile(alice), signaturePrivateKey: alice.state.signaturePrivateKey }
    const wire = await turnedInto({ context, state }, { credential: eve.credential, deviceKey: await ownKey(alice) })
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ name: 'MlsError' })
  })
  it('[MLS-3.5] a member cannot turn into another account of its own, whose certificate holds', async () => {
    const { alice, bob } = await pair()
    const other = await provider.generateSigningKey()
    const device = await ownKey(alice)
    const certificate = await makeDeviceCertificate(provider, {
      accountSecretKey: other.secretKey,
      devicePublicKey: device.publicKey,
      serial: 1,
      notAfterSec: NOW_SEC + 1000,
    })
    const wire = await turnedInto(alice, { credential: credentialOf(other.publicKey, certificate), deviceKey: device })
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject({
      code: 'mls-forbidden',
      message: /no longer belongs/,
    })
  })
  it('[MLS-3.5] holds for leaves that a commit did not remove', async () => {
    const { alice } = await trio()
    const before = rosterOf(alice)
    const changed = new Map(before)
    changed.set(1, before.get(2) as Member)
    expect(() => assertContinuity(before, changed, [])).toThrow(/Leaf 1/)
    expect(() => assertContinuity(before, changed, [1])).not.toThrow()
    const without = new Map([...before].filter(([leaf]) => leaf !== 2))
    expect(() => assertContinuity(before, without, [])).toThrow(/Leaf 2/)
    expect(() => assertContinuity(before, without, [2])).not.toThrow()
  })
  it('[MLS-1.7] nobody is added or turned back to a device with a lower serial than the group knows of the account', async () => {
    const accountKey = await provider.generateSigningKey()
    const alice = await person('alice')
    const [revoked, current] = [
      await deviceOf('bob', accountKey, { serial: 4 }),
      await deviceOf('bob', accountKey, { serial: 5 }),
    ]
    const [session] = (await groupOf(alice, current)) as [GroupSession]
    const readd = async (device: Person) => {
      const keyPackage = (await keyPackageOf(device)).publicBytes
      return await commitIntent(session, { removeLeaves: [1], add: [{ accountId: device.accountId, keyPackage }] })
    }
    await expect(readd(revoked)).rejects.toMatchObject({ code: 'mls-bad-credential' })
    await readd(current)
    await readd(await deviceOf('bob', accountKey, { serial: 6 }))
    const before = rosterOf(session)
    const turned = new Map(before).set(1, { ...(before.get(1) as Member), serial: 4 })
    expect(() => assertContinuity(before, turned, [])).toThrow(/revoked/)
  })
  it('[MLS-1.7] a leaf from before there were serials is read, and counts as the lowest', async () => {
    const old = await deviceOf('old', await provider.generateSigningKey(), { serial: 0 })
    const [session, joined] = (await groupOf(await person('alice'), old)) as [GroupSession, GroupSession]
    expect(rosterOf(session).get(1)).toMatchObject({ accountId: old.accountId, serial: 0 })
    expect(rosterOf(joined)).toEqual(rosterOf(session))
  })
  it('[MLS-3.6] the roster says who is where', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const [session] = (await groupOf(alice, bob)) as [GroupSession]
    const members = roster(provider, session.state)
    expect([...members].map(([leaf, { accountId }]) => [leaf, accountId])).toEqual([
      [0, alice.accountId],
      [1, bob.accountId],
    ])
    expect(members.get(1)?.devicePublicKey).toEqual(bob.deviceKey.publicKey)
    expect(leafOf(members, bob.accountId)).toBe(1)
    expect(leafOf(members, (await person('nobody')).accountId)).toBeUndefined()
  })

  async function ownKey({ state }: GroupSession) {
    const node = state.ratchetTree[2 * state.privatePath.leafIndex]
    if (node?.nodeType !== 'leaf') throw new Error('no leaf')
    return { publicKey: node.leaf.signaturePublicKey, secretKey: state.signaturePrivateKey }
  }
})

describe('a hostile committer', () => {
  it('[MLS-6.4] whose path keys do not fit their secrets is found out at once', async () => {
    const { alice, bob } = await trio()
    const { cipherSuite } = provider
    // The public key that bob shows to all for the node that he shares with alice differs from the one that he sends her.
    let derived = 0
    const cheating = {
      ...cipherSuite,
      hpke: {
        ...cipherSuite.hpke,
        async deriveKeyPair(ikm: Uint8Array) {
          derived += 1
          const pair = await cipherSuite.hpke.deriveKeyPair(ikm)
          return derived === 2 ? { ...pair, publicKey: (await cipherSuite.hpke.generateKeyPair()).publicKey } : pair
        },
      },
    }
    const made = await createCommit({ state: bob.state, cipherSuite: cheating }, {})
    const wire = encodeMlsMessage(made.commit)
    await expect(decryptMessage(alice, wire)).rejects.toMatchObject({ code: 'mls-undecryptable', message: /node 1/ })
  })
  it('[MLS-1.4] cannot make a joiner hash a tree larger than any group', async () => {
    const bob = await person('bob')
    const founded = await newGroup(await person('alice'))
    const elsewhere = await newGroup(await person('far right'))
    const tree: ClientState['ratchetTree'] = Array.from({ length: 8191 })
    tree[0] = founded.state.ratchetTree[0]
    tree[8190] = elsewhere.state.ratchetTree[0]
    const hers = await keyPackageOf(bob)
    const { made } = await hostileCommit({ ...hostile(founded), ratchetTree: tree }, [addOf(hers.publicBytes)])
    if (made.welcome === undefined) throw new Error('no welcome')
    const welcome = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: made.welcome })
    const joining = joinFromWelcome(context, { welcome, findKeyPackage: () => hers })
    await expect(joining).rejects.toMatchObject({ code: 'mls-malformed', message: /more than 2047 nodes/ })
  })
})
