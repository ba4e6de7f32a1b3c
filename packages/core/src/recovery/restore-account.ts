// Rebuilds an account from facts, on an empty database: the same account on a new device.
import type { MlsProvider } from '@postern/mls'
import { accountIdFromHash, type Clock, CodedError, fromBase64Url, utf8 } from '@postern/protocol'
import { checkRecoveryFacts, type RecoveryFacts } from '@postern/protocol/content'
import { restoreChats } from '../chats/opening/recovery-chats.ts'
import { insertAccount, type OwnAccount } from '../identity/account.ts'
import { laterSerial, makeDevice } from '../identity/device-certificate.ts'
import { restorePeople } from '../identity/known-people.ts'
import type { Store } from '../storage/transactions/store.ts'

type Parts = { store: Store; provider: MlsProvider; clock: Clock }

/** All of it or nothing. The first connection finds that the relay's mailbox was read further than here. */
export async function restoreAccount({ store, provider, clock }: Parts, given: RecoveryFacts): Promise<OwnAccount> {
  const facts = checkRecoveryFacts(given)
  const keys = await accountKeys(provider, facts)
  const serial = laterSerial({ provider, clock }, facts.account.serial)
  const own: OwnAccount = {
    ...keys,
    id: accountIdFromHash(provider.sha256(keys.publicKey)),
    relayUrl: facts.relayUrl,
    ...(await makeDevice({ provider, clock, accountSecretKey: keys.secretKey }, serial)),
    profileKey: keyOf(facts.profile.key),
    inviteToken: facts.inviteToken,
  }
  const { value: profile, version: profileVersion } = facts.profile
  await store.write(database => {
    restorePeople(database, facts.people)
    restoreChats(database, facts.chats, clock.nowMs())
    insertAccount(database, own, { profile, profileVersion, isRegistered: true })
  })
  return own
}

/** A key pair that does not match would make an account that nobody can use. */
async function accountKeys(
  provider: MlsProvider,
  { account }: RecoveryFacts,
): Promise<Pick<OwnAccount, 'publicKey' | 'secretKey'>> {
  const [publicKey, secretKey] = [keyOf(account.publicKey), keyOf(account.secretKey)]
  const probe = utf8('postern recovery')
  if (!(await provider.verify(publicKey, probe, await provider.sign(secretKey, probe))))
    throw new CodedError('recovery-damaged', { why: 'the keys of the account do not belong together' })
  return { publicKey, secretKey }
}

function keyOf(encoded: string): Uint8Array {
  const key = fromBase64Url(encoded)
  if (!key) throw new CodedError('recovery-damaged', { why: 'a key cannot be read' })
  return key
}
