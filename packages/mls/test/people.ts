// People with accounts and devices, and groups of them, as the MLS layer's own functions make them.
import { type AccountId, equalBytes } from '@postern/protocol'
import type { Credential } from 'ts-mls'
import type { SigningKey } from '../src/crypto/provider.ts'
import { type CommitIntent, commitIntent, type MadeCommit } from '../src/group/commit-intent.ts'
import { accountIdOf, credentialOf, makeDeviceCertificate } from '../src/group/credentials.ts'
import { createGroup, type DecryptedMessage, decryptMessage, type GroupSession } from '../src/group/group-session.ts'
import { joinFromWelcome } from '../src/group/join-group.ts'
import { type GeneratedKeyPackage, generateKeyPackage, type LifetimeSec } from '../src/group/key-package.ts'
import { type MlsContext, makeMlsContext } from '../src/group/mls-context.ts'
import { makeNodeProvider } from '../src/provider-node.ts'
import { utf8 } from './bytes.ts'

export const NOW_SEC = 2_000_000_000
export const DAY_SEC = 86_400

export const provider = makeNodeProvider()
export const context: MlsContext = makeMlsContext(provider, () => NOW_SEC)

export interface Person {
  name: string
  accountId: AccountId
  accountKey: SigningKey
  deviceKey: SigningKey
  credential: Credential
}

export async function person(name: string, notAfterSec = NOW_SEC + 3650 * DAY_SEC): Promise<Person> {
  return deviceOf(name, await provider.generateSigningKey(), { notAfterSec })
}

/** Another device of an account: same id, another leaf key. */
export async function deviceOf(
  name: string,
  accountKey: SigningKey,
  { serial = 1, notAfterSec = NOW_SEC + 3650 * DAY_SEC }: { serial?: number; notAfterSec?: number } = {},
): Promise<Person> {
  const deviceKey = await provider.generateSigningKey()
  const certificate = await makeDeviceCertificate(provider, {
    accountSecretKey: accountKey.secretKey,
    devicePublicKey: deviceKey.publicKey,
    serial,
    notAfterSec,
  })
  return {
    name,
    accountId: accountIdOf(provider, accountKey.publicKey),
    accountKey,
    deviceKey,
    credential: credentialOf(accountKey.publicKey, certificate),
  }
}

export const usualLifetime: LifetimeSec = { notBeforeSec: NOW_SEC - 3600, notAfterSec: NOW_SEC + 90 * DAY_SEC }

export function keyPackageOf(
  { credential, deviceKey }: Pick<Person, 'credential' | 'deviceKey'>,
  lifetime = usualLifetime,
): Promise<GeneratedKeyPackage> {
  return generateKeyPackage(context, { credential, deviceKey, lifetime })
}

export const wanted = ({ accountId }: Person, { publicBytes }: GeneratedKeyPackage) => ({
  accountId,
  keyPackage: publicBytes,
})

export async function join({ welcome }: MadeCommit, keyPackage: GeneratedKeyPackage): Promise<GroupSession> {
  if (welcome === undefined) throw new Error('the commit made no welcome')
  const findKeyPackage = (reference: Uint8Array) =>
    equalBytes(reference, keyPackage.reference) ? keyPackage : undefined
  return (await joinFromWelcome(context, { welcome, findKeyPackage })).session
}

export async function newGroup(founder: Person, settings = utf8('settings')): Promise<GroupSession> {
  const keyPackage = await keyPackageOf(founder)
  return createGroup(context, { groupId: provider.randomBytes(16), keyPackage, settings })
}

/** One member adds another by a commit that nobody else has to read. */
export async function add(session: GroupSession, newcomer: Person, more: CommitIntent = {}) {
  const keyPackage = await keyPackageOf(newcomer)
  const made = await commitIntent(session, { ...more, add: [wanted(newcomer, keyPackage)] })
  return { made, committer: made.session, joined: await join(made, keyPackage) }
}

/** A group with a session for each, in leaf order. */
export async function groupOf(...people: Person[]): Promise<GroupSession[]> {
  const [founder, ...others] = people as [Person, ...Person[]]
  const keyPackages = await Promise.all(others.map(other => keyPackageOf(other)))
  const adds = others.map((other, at) => wanted(other, keyPackages[at] as GeneratedKeyPackage))
  const made = await commitIntent(await newGroup(founder), { add: adds })
  return [made.session, ...(await Promise.all(keyPackages.map(keyPackage => join(made, keyPackage))))]
}

export async function pair(): Promise<{ alice: GroupSession; bob: GroupSession }> {
  const [alice, bob] = (await groupOf(await person('alice'), await person('bob'))) as [GroupSession, GroupSession]
  return { alice, bob }
}

export async function trio(): Promise<{ alice: GroupSession; bob: GroupSession; carol: GroupSession }> {
  const people = [await person('alice'), await person('bob'), await person('carol')]
  const [alice, bob, carol] = (await groupOf(...people)) as [GroupSession, GroupSession, GroupSession]
  return { alice, bob, carol }
}

export async function readText(session: GroupSession, wire: Uint8Array) {
  const read = await decryptMessage(session, wire)
  if (read.kind !== 'application') throw new Error('not a text')
  return read
}

export async function readCommit(
  session: GroupSession,
  wire: Uint8Array,
): Promise<Extract<DecryptedMessage, { kind: 'commit' }>> {
  const read = await decryptMessage(session, wire)
  if (read.kind !== 'commit') throw new Error('not a commit')
  return read
}
