// One's own account: its keys, its device, its profile and the token of its invite link.
import { type AccountId, accountIdFromHash, type Clock, clientLimits, toBase64Url } from '@postern/protocol'
import { formatInvite, type Profile } from '@postern/protocol/content'
import {
  authenticationBytes,
  type CallRequest,
  deviceCertificateBytes,
  encodeDeviceCertificate,
} from '@postern/protocol/relay'
import type { MlsProvider } from '../mls/provider.ts'
import { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import { noteOwnProfile } from './people.ts'

export type OwnAccount = {
  readonly id: AccountId
  readonly relayUrl: string
  readonly secretKey: Uint8Array
  readonly publicKey: Uint8Array
  readonly deviceSecretKey: Uint8Array
  readonly devicePublicKey: Uint8Array
  readonly certificate: Uint8Array
  readonly profileKey: Uint8Array
  readonly inviteToken: string
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
const PROFILE_KEY_BYTES = 32
const INVITE_SHELF = 'relay-invite'

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
  const account = await provider.generateSigningKey()
  const device = await provider.generateSigningKey()
  const notAfterSec = Math.floor((clock.nowMs() + clientLimits.deviceCertificateLifetimeMs) / 1000)
  const signed = deviceCertificateBytes(device.publicKey, notAfterSec)
  const signature = await provider.sign(account.secretKey, signed)
  const own: OwnAccount = {
    id: accountIdFromHash(provider.sha256(account.publicKey)),
    relayUrl: first.relayUrl,
    secretKey: account.secretKey,
    publicKey: account.publicKey,
    deviceSecretKey: device.secretKey,
    devicePublicKey: device.publicKey,
    certificate: encodeDeviceCertificate({ notAfterSec, signature }),
    profileKey: provider.randomBytes(PROFILE_KEY_BYTES),
    inviteToken: toBase64Url(provider.randomBytes(INVITE_TOKEN_BYTES)),
  }
  const profile: Profile = { name: first.name, about: '', bot: first.bot, commands: [] }
  await store.write(database => {
    noteOwnProfile(database, own.id, profile)
    database.run(
      `INSERT INTO account (one, id, secret_key, public_key, device_secret_key, device_public_key, certificate,
         relay_url, profile_key, profile, profile_version, invite_token)
       VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
      own.id,
      own.secretKey,
      own.publicKey,
      own.deviceSecretKey,
      own.devicePublicKey,
      own.certificate,
      own.relayUrl,
      own.profileKey,
      JSON.stringify(profile),
      own.inviteToken,
    )
  })
  return own
}

export const isRegistered = (store: Store): boolean =>
  store.get<{ registered: number }>('SELECT registered FROM account')?.registered === 1

export async function noteRegistered(store: Store): Promise<void> {
  await store.write(database => {
    database.run('UPDATE account SET registered = 1')
    database.run('DELETE FROM record WHERE shelf = ?', INVITE_SHELF)
  })
}

/** Kept until the account is registered: that may take more than one start. A later code takes the place of a wrong one. */
export async function noteRelayInvite(store: Store, code: string): Promise<void> {
  if (!isRegistered(store)) await new Records(store, INVITE_SHELF).change({ key: 'code', put: code })
}

function intentOf(store: Store): Pick<CallRequest<'authenticate'>, 'intent' | 'invite'> {
  if (isRegistered(store)) return { intent: 'login', invite: undefined }
  return { intent: 'register', invite: new Records(store, INVITE_SHELF).get('code') }
}

export const inviteUrl = (own: OwnAccount): string =>
  formatInvite(own.relayUrl, { account: own.id, profileKey: own.profileKey, token: own.inviteToken })

/** The answer to the relay's challenge. Only an account that the relay never had is registered: a relay that lost it is noticed. */
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
