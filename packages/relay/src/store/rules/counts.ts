// How many there may be of what an account has at the relay, of accounts, and of the uses of an invite.
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { StoredInvite } from '../invite-store.ts'

const tooMany = (message: string): CodedError => new CodedError('rate-limited', {}, { message })

/** `count` are registered. */
export const accountsRefusal = ({ accountsMax }: RelayLimits, count: number): CodedError | undefined =>
  count >= accountsMax ? tooMany('This relay does not accept more accounts.') : undefined

/** The account is in `count` groups, and makes one more. */
export const groupsRefusal = ({ groupsPerAccountMax: max }: RelayLimits, count: number): CodedError | undefined =>
  count >= max ? tooMany(`You are in ${max} groups and cannot create another. Leave one first.`) : undefined

/** There would be `count`. */
export const keyPackagesRefusal = (
  { keyPackagesPerAccountMax: max }: RelayLimits,
  count: number,
): CodedError | undefined =>
  count > max ? tooMany(`An account can have at most ${max} key packages on the relay.`) : undefined

/** It was `used` so often before. */
export const inviteRefusal = ({ usesMax }: StoredInvite, used: number): CodedError | undefined =>
  used >= usesMax ? new CodedError('invite-used') : undefined
