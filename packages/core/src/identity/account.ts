// The client's own account: its keys, device, profile and the token of its invite link.
import type { MlsProvider } from '@postern/mls'
import {
  type AccountId,
  accountIdFromHash,
  assertKept,
  type Clock,
  contentLimits,
  nameFault,
  toBase64Url,
} from '@postern/protocol'
import { formatInvite, type Profile } from '@postern/protocol/content'
import { authenticationBytes, type CallRequest } from '@postern/protocol/relay'
import type { Database } from '../storage/database.ts'
import { clearShelf, Records } from '../storage/state/records.ts'
import type { Store } from '../storage/transactions/store.ts'
import { FIRST_SERIAL, makeDevice } from './device-certificate.ts'
import { noteOwnProfile } from './people.ts'

export type OwnAccount = {
  readonly id: AccountId
  /** The relay on which the account is registered, or will be. */
  relayUrl: string
  readonly secretKey: Uint8Array
  readonly publicKey: Uint8Array
  /** The current keys and certificate of the device; `own-device.ts` replaces all three together. */
  deviceSecretKey: Uint8Array
  devicePublicKey: Uint8Array
  certificate: Uint8Array
  readonly profileKey: Uint8Array
  /** The token of the current link: a new link replaces it. */
  inviteToken: string
}

export type FirstStart = { relayUrl: string; name: string; bot: boolean }

type AccountRow = {
  id: AccountId
  relay_url: string
  secret_key: Uint8Array
  public_key: Uint8Array
  device_secret_key: Uint8Array
  device_public_key: Uint8Array
  certificate: Uint8Array
  profile_key: Uint8Array
  invite_token: string
}

const INVITE_TOKEN_BYTES = 16

const newInviteToken = (provider: MlsProvider): string => toBase64Url(provider.randomBytes(INVITE_TOKEN_BYTES))

const PROFILE_KEY_BYTES = 32
const INVITE_SHELF = 'relay-invite'

/** Reads a database of any version; undefined before the first start. */
export const accountIdIn = (database: Pick<Database, 'get'>): AccountId | undefined =>
  database.get<{ id: AccountId }>('SELECT id FROM account')?.id

/** Undefined before the first start. */
export function loadAccount(store: Store): OwnAccount | undefined {
  const row = store.get<AccountRow>('SELECT * FROM account')
  return (
    row && {
      id: row.id,
      relayUrl: row.relay_url,
      secretKey: row.secret_key,
      publicKey: row.public_key,
      deviceSecretKey: row.device_secret_key,
      devicePublicKey: row.device_public_key,
      certificate: row.certificate,
      profileKey: row.profile_key,
      inviteToken: row.invite_token,
    }
  )
}

export async function createAccount(
  { store, provider, clock }: { store: Store; provider: MlsProvider; clock: Clock },
  first: FirstStart,
): Promise<OwnAccount> {
  assertKept('name', nameFault(first.name, contentLimits.nameCharsMax))
  const account = await provider.generateSigningKey()
  const device = await makeDevice({ provider, clock, accountSecretKey: account.secretKey }, FIRST_SERIAL)
  const own: OwnAccount = {
    id: accountIdFromHash(provider.sha256(account.publicKey)),
    relayUrl: first.relayUrl,
    secretKey: account.secretKey,
    publicKey: account.publicKey,
    ...device,
    profileKey: provider.randomBytes(PROFILE_KEY_BYTES),
    inviteToken: newInviteToken(provider),
  }
  const profile: Profile = { name: first.name, about: '', bot: first.bot, commands: [] }
  await store.write(database => insertAccount(database, own, { profile, profileVersion: 1, isRegistered: false }))
  return own
}

type AccountStart = { profile: Profile; profileVersion: number; isRegistered: boolean }

export function insertAccount(database: Database, own: OwnAccount, start: AccountStart): void {
  const { profile, profileVersion, isRegistered } = start
  noteOwnProfile(database, own.id, profile)
  database.run(
    `INSERT INTO account (one, id, secret_key, public_key, device_secret_key, device_public_key, certificate,
       relay_url, profile_key, profile, profile_version, invite_token, registered)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    own.id,
    own.secretKey,
    own.publicKey,
    own.deviceSecretKey,
    own.devicePublicKey,
    own.certificate,
    own.relayUrl,
    own.profileKey,
    JSON.stringify(profile),
    profileVersion,
    own.inviteToken,
    isRegistered ? 1 : 0,
  )
}

export const isRegistered = (store: Store): boolean =>
  store.get<{ registered: number }>('SELECT registered FROM account')?.registered === 1

export async function noteRegistered(store: Store): Promise<void> {
  await store.write(database => {
    database.run('UPDATE account SET registered = 1')
    clearShelf(database, INVITE_SHELF)
  })
}

/** The relay has moved: the account's home is its new address. */
export function moveHome(database: Database, relayUrl: string): void {
  database.run('UPDATE account SET relay_url = ?', relayUrl)
}

/** Kept until the account is registered: that may take more than one start. A later code replaces a wrong one. */
export async function noteRelayInvite(store: Store, code: string): Promise<void> {
  if (!isRegistered(store)) await new Records(store, INVITE_SHELF).change({ key: 'code', put: code })
}

function intentOf(store: Store): Pick<CallRequest<'authenticate'>, 'intent' | 'invite'> {
  if (isRegistered(store)) return { intent: 'login', invite: undefined }
  return { intent: 'register', invite: new Records(store, INVITE_SHELF).get('code') }
}

export const inviteUrl = (own: OwnAccount): string =>
  formatInvite(own.relayUrl, { account: own.id, profileKey: own.profileKey, token: own.inviteToken })

/**
 * The token of the previous link opens nothing any more. People who have that link still have its other parts: the
 * account id, under which anyone can send a request, and the key of the profile: name, description, picture, commands.
 */
export async function replaceInvite({
  store,
  own,
  provider,
}: {
  store: Store
  own: OwnAccount
  provider: MlsProvider
}): Promise<void> {
  const token = newInviteToken(provider)
  await store.write(database => database.run('UPDATE account SET invite_token = ?', token))
  own.inviteToken = token
  // Only now the new token can be read: a reader that was notified by the commit has seen the old one.
  store.touch('me')
}

/** Read from the database, where a new link has its place in the order of writes. */
export const isInviteToken = (database: Pick<Store, 'get'>, token: string): boolean =>
  database.get('SELECT 1 FROM account WHERE invite_token = ?', token) !== undefined

/**
 * The answer to the relay's challenge.
 * Only an account that the relay never had is registered, so the client notices a relay that lost it.
 */
export async function proveAccount(
  { own, provider, store }: { own: OwnAccount; provider: MlsProvider; store: Store },
  { nonce, audience }: { nonce: Uint8Array; audience: string },
): Promise<CallRequest<'authenticate'>> {
  const proof = authenticationBytes({ nonce, audience, accountKey: own.publicKey })
  return {
    accountKey: own.publicKey,
    deviceKey: own.devicePublicKey,
    certificate: own.certificate,
    audience,
    signature: await provider.sign(own.deviceSecretKey, proof),
    ...intentOf(store),
  }
}
