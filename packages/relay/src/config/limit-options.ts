// Limits as an operator sets them: common ones have their own options, all others are set by name.
import { relayFixedLimits } from '@postern/protocol'
import { limitNames, type RelayLimits } from '../limits/relay-limits.ts'
import { bytesIn, daysIn, listIn, wholeNumber, wrong } from './values.ts'

type LimitChange = Partial<Record<keyof RelayLimits, number>>
/** Reads an option by its name, from the command line or any other source of settings. */
export type ReadSetting = (option: string) => string | undefined

const own: Readonly<Record<string, (field: string, text: string) => LimitChange>> = {
  'new-people-per-day': (field, text) => ({ newPeoplePerDay: wholeNumber(field, text) }),
  'keep-days': (field, text) => ({ keepEntriesMs: daysIn(field, text, relayFixedLimits.keepEntriesDaysMax) }),
  'keep-blobs-days': (field, text) => ({ keepBlobsMs: daysIn(field, text, relayFixedLimits.keepBlobsDaysMax) }),
  'blobs-max': (field, text) => ({ blobsBytesMax: bytesIn(field, text) }),
  'database-max': (field, text) => ({ databaseBytesMax: atLeast(field, bytesIn(field, text), 2 ** 20) }),
  'disk-reserve': (field, text) => {
    const bytes = bytesIn(field, text)
    return { diskFreeForBlobsBytesMin: bytes, diskFreeBytesMin: Math.floor(bytes / RESERVE_PARTS) }
  },
}

/** Messages may use all of the reserve but an eighth. */
const RESERVE_PARTS = 8

export const limitOptions = Object.keys(own)

/** Zero is a sensible value for these limits; for any other limit it would end or block the relay. */
const mayBeNone: ReadonlySet<keyof RelayLimits> = new Set([
  ...(['newPeoplePerDay', 'registrationsPerMinute', 'registrationsPerAddressPerHour'] as const),
  ...(['inviteTriesPerMinute', 'inviteTriesPerAddressPerMinute', 'profilesPerMinute'] as const),
  ...(['profilesPerAddressPerMinute', 'blobsPerDayMax', 'blobsPerDayBytesMax', 'blobsBytesMax'] as const),
  ...(['blobBytesMax', 'groupsPerAccountMax', 'accountsMax', 'faultsLoggedPerMinute', 'keepInvitesMs'] as const),
  ...(['newAccountMs', 'newAccountBytesPerDayMax', 'bytesPerDayMax', 'recentEntriesBytesMax'] as const),
  ...(['diskFreeBytesMin', 'diskFreeForBlobsBytesMin', 'acknowledgeWithinMs', 'accountsCachedMax'] as const),
  ...(['groupMembersCachedMax', 'logWaitingBytesMax', 'httpConnectionsMax', 'keepPastMembersMs'] as const),
  'ephemeralPerMinute',
])

/** Periodic tasks: a shorter interval would run them all the time. */
const leastMs: LimitChange = {
  sweepEveryMs: 1000,
  heartbeatMs: 1000,
  figuresLoggedEveryMs: 1000,
  acknowledgeRetryMs: 100,
}

/** `named`: each has the form `name=number`. */
export function limitsIn(read: ReadSetting, named: readonly string[] | undefined): Partial<RelayLimits> {
  const limits: LimitChange = {}
  for (const [option, change] of Object.entries(own)) {
    const text = read(option)
    if (text !== undefined) Object.assign(limits, change(`--${option}`, text))
  }
  for (const text of named ?? listIn(read('limits'))) Object.assign(limits, namedLimit(text))
  return limits
}

function namedLimit(text: string): LimitChange {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? []
  const limit = limitNames.find(known => known === name)
  if (!limit)
    throw wrong('--limit', `"${text}" is not a limit of the relay. Use name=number, as in newPeoplePerDay=100`)
  const field = `--limit ${name}`
  const least = leastMs[limit] ?? (mayBeNone.has(limit) ? 0 : 1)
  return { [limit]: atLeast(field, wholeNumber(field, value), least) }
}

function atLeast(field: string, value: number, least: number): number {
  if (value < least) throw wrong(field, `must be at least ${least}`)
  return value
}
