// Publishes and fetches profiles: sealed under the profile key, signed by the account, numbered.
import { type MlsProvider, NONCE_BYTES } from '@postern/mls'
import {
  type AccountId,
  aboutRange,
  accountIdFromHash,
  assertKept,
  bytes,
  type Codec,
  CodedError,
  charsFault,
  clientLimits,
  commandArgsFault,
  commandDescriptionFault,
  commandNameFault,
  commandsCountFault,
  concatBytes,
  contentLimits,
  decodeWith,
  encodeWith,
  fixed,
  type Log,
  nameFault,
  pictureUrl,
  smallPictureFault,
  struct,
  u32,
  utf8,
} from '@postern/protocol'
import { decodeProfile, encodePaddedJson, type Profile, profile as profileSchema } from '@postern/protocol/content'
import { calls } from '@postern/protocol/relay'
import type { RelayLink } from '../relay-link/relay-link.ts'
import type { Database } from '../storage/database.ts'
import type { DatabaseChange, Store } from '../storage/transactions/store.ts'
import type { OwnAccount } from './account.ts'
import { giveUpVersion, noteOwnProfile, noteProfile, type PersonRow } from './people.ts'

type SealedProfile = { nonce: Uint8Array; ciphertext: Uint8Array; signature: Uint8Array }

const sealedProfile: Codec<SealedProfile> = struct({
  nonce: fixed(NONCE_BYTES),
  ciphertext: bytes(contentLimits.profileBytesMax),
  signature: fixed(64),
})
const LABEL = utf8('postern profile v1')
const versionBytes = (version: number): Uint8Array => encodeWith(u32, version)

export type ProfileContext = { store: Store; provider: MlsProvider; link: RelayLink; own: OwnAccount; log: Log }
/** `onPublished`: part of the transaction after which others can fetch the new profile. */
type PublishContext = ProfileContext & { onPublished: DatabaseChange<void> }

/** The avatar is a small picture; null removes it. */
export type ProfileChange = {
  name?: string
  about?: string
  commands?: Profile['commands']
  avatar?: Uint8Array | null
}

export function ownProfile(reads: Pick<Store, 'get'>): { profile: Profile; version: number } {
  const row = reads.get<{ profile: string; profile_version: number }>('SELECT profile, profile_version FROM account')
  if (!row) throw new CodedError('internal')
  return { profile: JSON.parse(row.profile) as Profile, version: row.profile_version }
}

/** The version that others can fetch: they learn of no version that the relay does not have yet. */
export const publishedVersion = (store: Pick<Store, 'get'>): number =>
  store.get<{ version: number }>('SELECT published_version AS version FROM account')?.version ?? 0

/** The relay may not have it any more: it is published again. */
export const forgetPublished = (database: Database): void =>
  void database.run('UPDATE account SET published_version = 0')

/** Durable here; `publishProfile` sends it to the relay. Changes made at the same moment build on each other. */
export async function changeProfile(store: Store, own: OwnAccount, change: ProfileChange): Promise<void> {
  const { avatar, ...words } = change
  assertWords(words)
  const changed = { ...words, ...(avatar !== undefined && { avatar: avatar ? avatarUrl(avatar) : undefined }) }
  await store.write(database => {
    const wanted = profileSchema.parse({ ...ownProfile(database).profile, ...changed })
    noteOwnProfile(database, own.id, wanted)
    database.run('UPDATE account SET profile = ?, profile_version = profile_version + 1', JSON.stringify(wanted))
  })
}

/** A description may have several lines, that of a command may not. */
function assertWords({ name, about = '', commands = [] }: ProfileChange): void {
  if (name !== undefined) assertKept('name', nameFault(name, contentLimits.nameCharsMax))
  assertKept('about', charsFault(about, aboutRange))
  assertKept('commands', commandsCountFault(commands))
  for (const { name: word, description, args = '' } of commands)
    assertKept('commands', commandNameFault(word) ?? commandDescriptionFault(description) ?? commandArgsFault(args))
}

function avatarUrl(picture: Uint8Array): string {
  if (picture.length > contentLimits.avatarBytesMax)
    throw new CodedError('too-large', { what: 'The avatar', max: contentLimits.avatarBytesMax })
  assertKept('avatar', smallPictureFault(picture))
  return pictureUrl(picture)
}

export async function publishProfile(context: PublishContext): Promise<void> {
  const { store } = context
  const { version } = ownProfile(store)
  if (publishedVersion(store) === version) return
  const answer = await putProfile(context, version)
  if (answer.accepted) return
  if (answer.version < version) return await publishEach(context, { from: answer.version + 1, to: version })
  // The relay has a newer one from before a restore: this profile becomes the next after it.
  await store.write(database => database.run('UPDATE account SET profile_version = ?', answer.version + 1))
  await publishEach(context, { from: answer.version + 1, to: answer.version + 1 })
}

/** The profile changed more than once since the relay received it: the relay accepts one version after the other. */
async function publishEach(context: PublishContext, { from, to }: { from: number; to: number }): Promise<void> {
  for (let version = from; version <= to; version++) {
    const { accepted } = await putProfile(context, version)
    // Retried at the next connection: a relay that also refuses the next version would be asked forever.
    if (!accepted) throw new CodedError('relay-broken', { what: 'it refuses the next version of the profile' })
  }
}

async function putProfile(
  { store, provider, link, own, onPublished }: PublishContext,
  version: number,
): Promise<{ accepted: boolean; version: number }> {
  const { profile } = ownProfile(store)
  const blob = await sealProfile(provider, own, { profile, version })
  const answer = await link.call('putProfile', { version, blob }, clientLimits.requestTimeoutMs)
  if (answer.accepted)
    await store.write(database => {
      database.run('UPDATE account SET published_version = ?', version)
      onPublished(database)
    })
  return answer
}

export async function refreshProfile(context: ProfileContext, person: PersonRow): Promise<void> {
  const { store, provider, link, log } = context
  const account = person.account_id
  const answer = await link.call('getProfile', { account }, clientLimits.requestTimeoutMs)
  const opened = await openProfile(provider, { ...answer, account, profileKey: person.profile_key })
  await store.write(database => {
    const isNews = opened && noteProfile(database, account, { profile: opened, version: answer.version })
    // An old or foreign profile under this id is the relay's fault: the known profile stays.
    if (!isNews) giveUpVersion(database, person)
  }, 'recorded')
  if (answer.version < person.floor_version)
    log.warn({ account, version: answer.version }, 'relay served an outdated profile')
}

async function sealProfile(
  provider: MlsProvider,
  own: OwnAccount,
  { profile, version }: { profile: Profile; version: number },
): Promise<Uint8Array> {
  const nonce = provider.randomBytes(NONCE_BYTES)
  const aad = concatBytes(LABEL, versionBytes(version))
  const ciphertext = await provider.aeadSeal({ key: own.profileKey, nonce, aad }, encodePaddedJson(profile))
  const signature = await provider.sign(own.secretKey, concatBytes(aad, nonce, ciphertext))
  return encodeWith(sealedProfile, { nonce, ciphertext, signature })
}

type Invited = { account: AccountId; profileKey: Uint8Array; answer: Uint8Array }

/**
 * The profile of the inviter, from the link's key and the relay's public answer.
 * Undefined if the account has not signed it.
 */
export async function openInvited(
  provider: MlsProvider,
  { account, profileKey, answer }: Invited,
): Promise<Profile | undefined> {
  return await openProfile(provider, { ...decodeWith(calls.getProfile.answer, answer), account, profileKey })
}

type FetchedProfile = {
  account: AccountId
  accountKey: Uint8Array
  profileKey: Uint8Array | null
  version: number
  blob: Uint8Array
}

/** Undefined if the account has not signed it: another key, another version, or damaged. */
async function openProfile(provider: MlsProvider, fetched: FetchedProfile): Promise<Profile | undefined> {
  if (accountIdFromHash(provider.sha256(fetched.accountKey)) !== fetched.account || !fetched.profileKey)
    return undefined
  try {
    const { nonce, ciphertext, signature } = decodeWith(sealedProfile, fetched.blob)
    const aad = concatBytes(LABEL, versionBytes(fetched.version))
    if (!(await provider.verify(fetched.accountKey, concatBytes(aad, nonce, ciphertext), signature))) return undefined
    const plain = await provider.aeadOpen({ key: fetched.profileKey, nonce, aad }, ciphertext)
    return decodeProfile(plain)
  } catch {
    return undefined
  }
}
