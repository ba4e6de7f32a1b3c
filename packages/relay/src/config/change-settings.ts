// What an operator may change while the relay runs: limits, and who may register.
import type { Registration } from '../accounts/register.ts'
import type { RelayContext } from '../context.ts'
import { limitNames, type RelayLimits, relayLimits } from '../limits/relay-limits.ts'

export type Changeable = { limits: Partial<RelayLimits>; registration: Registration }
/** By their names. */
export type ChangedSettings = { changed: string[]; afterRestart: string[] }

/** What these say was built at the start, and is not built anew. */
const builtOnce: ReadonlySet<keyof RelayLimits> = new Set([
  'accountsCachedMax',
  'databaseBytesMax',
  'groupMembersCachedMax',
  'httpIdleMs',
  'logWaitingBytesMax',
  'recentEntriesBytesMax',
  'requestHeadBytesMax',
  'writesPerTransactionMax',
])

/** All parts share one object of limits, and look into it when they need one: from here on they find the new ones. */
export function changeSettings(parts: RelayContext, to: Changeable): ChangedSettings {
  const wanted = relayLimits(to.limits)
  const differing = limitNames.filter(name => wanted[name] !== parts.limits[name])
  const changed = differing.filter(name => !builtOnce.has(name))
  Object.assign(parts.limits, Object.fromEntries(changed.map(name => [name, wanted[name]])))
  const isOther = parts.admission.registration !== to.registration
  parts.admission.registration = to.registration
  return {
    changed: [...changed, ...(isOther ? ['registration'] : [])],
    afterRestart: differing.filter(name => builtOnce.has(name)),
  }
}
