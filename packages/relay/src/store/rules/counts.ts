// Limits on the number of accounts, on each account's groups and key packages, and on the uses of an invite.
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { StoredInvite } from '../invite-store.ts'

const tooMany = (message: string): CodedError => new CodedError('rate-limited', {}, { message })

/** `count`: registered accounts. */
export const accountsRefusal = ({ accountsMax }: RelayLimits, count: number): CodedError | undefined =>
  count >= accountsMax ? tooMany('This relay does not accept more accounts.') : undefined

/** `count`: groups that the account is in before it creates another. */
export const groupsRefusal = ({ groupsPerAccountMax: max }: RelayLimits, count: number): CodedError | undefined =>
  count >= max ? tooMany(`You are in ${max} groups and cannot create another. Leave one first.`) : undefined

/** `count`: the resulting number. */
export const keyPackagesRefusal = (
  { keyPackagesPerAccountMax: max }: RelayLimits,
  count: number,
): CodedError | undefined =>
  count > max ? tooMany(`An account can have at most ${max} key packages on the relay.`) : undefined

/** `used`: earlier uses. */
export const inviteRefusal = ({ usesMax }: StoredInvite, used: number): CodedError | undefined =>
  used >= usesMax ? new CodedError('invite-used') : undefined
