// The settings that the members of a group have agreed on, as the group's keys carry them.
import { type GroupSession, settingsOf } from '@postern/mls'
import { CodedError } from '@postern/protocol'
import { decodeGroupSettings, type GroupSettings } from '@postern/protocol/content'

/** The judge accepts no settings but ours, so this client never joined a group without them. */
export function agreedSettings(session: GroupSession): GroupSettings {
  const settings = decodeGroupSettings(settingsOf(session))
  if (!settings) throw new CodedError('internal')
  return settings
}
