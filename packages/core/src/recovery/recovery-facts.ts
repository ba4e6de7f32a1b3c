// The facts that a person keeps in order not to lose the account, read from the current database.
import { toBase64Url } from '@postern/protocol'
import { checkRecoveryFacts, type RecoveryFacts } from '@postern/protocol/content'
import { chatFacts } from '../chats/opening/recovery-chats.ts'
import type { Core } from '../context.ts'
import { serialOf } from '../identity/device-certificate.ts'
import { peopleFacts } from '../identity/known-people.ts'
import { ownProfile } from '../identity/profile.ts'

/** Checked by the rules by which they are read: facts that cannot be restored must be detected today. */
export function recoveryFacts({ store, own, clock }: Pick<Core, 'store' | 'own' | 'clock'>): RecoveryFacts {
  const { profile, version } = ownProfile(store)
  return checkRecoveryFacts({
    v: 1,
    madeMs: clock.nowMs(),
    relayUrl: own.relayUrl,
    account: {
      secretKey: toBase64Url(own.secretKey),
      publicKey: toBase64Url(own.publicKey),
      serial: serialOf(own),
    },
    profile: { key: toBase64Url(own.profileKey), version, value: profile },
    inviteToken: own.inviteToken,
    people: peopleFacts(store, own.id),
    chats: chatFacts(store),
  } satisfies RecoveryFacts)
}
