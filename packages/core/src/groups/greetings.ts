// How soon other members learn the name of this account, and whether it wants previews.
import { clientLimits } from '@postern/protocol'
import { wantsPreviews } from '../identity/preview-wish.ts'
import type { Store } from '../storage/transactions/store.ts'

/**
 * For new members. 1: with the next content. 2: immediately, because an account that wants previews may only read. Not
 * in a large group, in which hundreds would greet each new member.
 */
export const greetingTo = (reads: Pick<Store, 'get'>, members: number): 1 | 2 =>
  wantsPreviews(reads) && members <= clientLimits.greetedAtOnceMembersMax ? 2 : 1
