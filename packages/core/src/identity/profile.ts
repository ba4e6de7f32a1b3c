// Profiles on their way to and from the relay: sealed under the profile key, signed by the account, numbered.
import {
  type AccountId,
  accountIdFromHash,
  bytes,
  type Codec,
  CodedError,
  clientLimits,
  concatBytes,
  contentLimits,
  decodeWith,
  encodeWith,
  fixed,
  fromUtf8,
  struct,
  u32,
  utf8,
} from '@postern/protocol'
import { type Profile, profile as profileSchema } from '@postern/protocol/content'
import { type MlsProvider, NONCE_BYTES } from '../mls/provider.ts'
import type { RelayLink } from '../relay-link/relay-link.ts'
import type { Store } from '../storage/store.ts'
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

export type ProfileContext = { store: Store; provider: MlsProvider; link: RelayLink; own: OwnAccount }

export type ProfileChange = { name?: string; about?: string; commands?: Profile['commands'] }

export function ownProfile(store: Store): { profile: Profile; version: number } {
  const row = store.get<{ profile: string; profile_version: number }>('SELECT profile, profile_version FROM account')
  if (!row) throw new CodedError('internal')
  return { profile: JSON.parse(row.profile) as Profile, version: row.profile_version }
}

/** Durable here; `publishProfile` brings it to the relay. */
export async function changeProfile(store: Store, own: OwnAccount, change: ProfileChange): Promise<void> {
  const wanted = profileSchema.parse({ ...ownProfile(store).profile, ...change })
  await store.write(database => {
    noteOwnProfile(database, own.id, wanted)
    database.run('UPDATE account SET profile = ?, profile_version = profile_version + 1', JSON.stringify(wanted))
  })
}

export async function publishProfile({ store, provider, link, own }: ProfileContext): Promise<void> {
  const published = store.get<{ published_version: number }>('SELECT published_version FROM account')?.published_version
  const { profile, version } = ownProfile(store)
  if (published === version) return
  const blob = await sealProfile(provider, own, { profile, version })
  const answer = await link.call('putProfile', { version, blob }, clientLimits.requestTimeoutMs)
  await store.write(database => {
    if (answer.accepted) database.run('UPDATE account SET published_version = ?', version)
    // The relay has a newer one from before a restore: this profile becomes the next after it.
    else database.run('UPDATE account SET profile_version = max(profile_version, ?) + 1', answer.version)
  })
  if (!answer.accepted) await publishProfile({ store, provider, link, own })
}

export async function refreshProfile(context: ProfileContext, person: PersonRow): Promise<void> {
  const { store, provider, link } = context
  const account = person.account_id
  const answer = await link.call('getProfile', { account }, clientLimits.requestTimeoutMs)
  const opened = await openProfile(provider, { ...answer, account, profileKey: person.profile_key })
  await store.write(database => {
    if (opened) noteProfile(database, account, { profile: opened, version: answer.version })
    // An old or foreign profile under this id is the relay's doing: what is known stays.
    if (!opened || answer.version <= person.profile_version) giveUpVersion(database, account)
  }, 'recorded')
}

async function sealProfile(
  provider: MlsProvider,
  own: OwnAccount,
  { profile, version }: { profile: Profile; version: number },
): Promise<Uint8Array> {
  const nonce = provider.randomBytes(NONCE_BYTES)
  const aad = concatBytes(LABEL, versionBytes(version))
  const ciphertext = await provider.aeadSeal({ key: own.profileKey, nonce, aad }, utf8(JSON.stringify(profile)))
  const signature = await provider.sign(own.secretKey, concatBytes(aad, nonce, ciphertext))
  return encodeWith(sealedProfile, { nonce, ciphertext, signature })
}

type FetchedProfile = {
  account: AccountId
  accountKey: Uint8Array
  profileKey: Uint8Array | null
  version: number
  blob: Uint8Array
}

/** Undefined when it is not the account's own word: another key, another version, or damaged. */
async function openProfile(provider: MlsProvider, fetched: FetchedProfile): Promise<Profile | undefined> {
  if (accountIdFromHash(provider.sha256(fetched.accountKey)) !== fetched.account || !fetched.profileKey)
    return undefined
  try {
    const { nonce, ciphertext, signature } = decodeWith(sealedProfile, fetched.blob)
    const aad = concatBytes(LABEL, versionBytes(fetched.version))
    if (!(await provider.verify(fetched.accountKey, concatBytes(aad, nonce, ciphertext), signature))) return undefined
    const plain = await provider.aeadOpen({ key: fetched.profileKey, nonce, aad }, ciphertext)
    return profileSchema.safeParse(JSON.parse(fromUtf8(plain))).data
  } catch {
    return undefined
  }
}
