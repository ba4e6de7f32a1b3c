// Settings that an operator may change while the relay runs: limits, and who may register.
import type { Registration } from '../accounts/register.ts'
import type { RelayContext } from '../context.ts'
import { limitNames, type RelayLimits, relayLimits } from '../limits/relay-limits.ts'

export type Changeable = { limits: Partial<RelayLimits>; registration: Registration }
/** The names of the settings. */
export type ChangedSettings = { changed: string[]; afterRestart: string[] }

/** Parts built at the start from these limits are not rebuilt. */
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

/** All parts share one object of limits and read it when they need a limit, so they see new values immediately. */
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
