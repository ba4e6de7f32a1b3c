// What the members of a group have agreed on, as its keys carry it.
import { type GroupSession, settingsOf } from '@postern/mls'
import { CodedError } from '@postern/protocol'
import { decodeGroupSettings, type GroupSettings } from '@postern/protocol/content'

/** The judge lets nobody write other settings than ours: a group without them was never joined. */
export function agreedSettings(session: GroupSession): GroupSettings {
  const settings = decodeGroupSettings(settingsOf(session))
  if (!settings) throw new CodedError('internal')
  return settings
}
