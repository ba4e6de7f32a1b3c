// The incarnation of the relay. Another one than before means that it was restored from a backup, and lacks later data.
import { toBase64Url } from '@postern/protocol'
import { forgetAllAsked } from '../chats/records/asked-rejoins.ts'
import { forgetPublished } from '../identity/profile.ts'
import type { RelaySession } from '../relay-link/link-options.ts'
import { Records } from '../storage/state/records.ts'
import type { Store } from '../storage/transactions/store.ts'

const SHELF = 'relay-incarnation'
const KEY = 'id'

const incarnationOf = ({ incarnation }: Pick<RelaySession, 'incarnation'>): string => toBase64Url(incarnation)

/**
 * False if none was known before. Only the relay vouches for it:
 * data is sent again because of it, but nothing is undone.
 */
export function isAnotherIncarnation(store: Store, session: RelaySession): boolean {
  const known = new Records(store, SHELF).get(KEY)
  return known !== undefined && known !== incarnationOf(session)
}

/** Called once everything was sent again: if that is cut off, the next login begins with it again. */
export async function noteIncarnation(store: Store, session: RelaySession): Promise<void> {
  const given = incarnationOf(session)
  const records = new Records(store, SHELF)
  if (records.get(KEY) !== given) await records.change({ key: KEY, put: given })
}

/** The relay may have an older profile, and may have lost requests to be added again: the chores send both again. */
export async function publishAnew(store: Store): Promise<void> {
  await store.write(database => {
    forgetPublished(database)
    forgetAllAsked(database)
  })
}
