// Which life of the relay this is. Another one than before: it was restored from a backup, and lacks what it was told since.
import { toBase64Url } from '@postern/protocol'
import { forgetPublished } from '../identity/profile.ts'
import type { Session } from '../relay-link/relay-link.ts'
import { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'

const SHELF = 'relay-incarnation'
const KEY = 'id'

const incarnationOf = ({ incarnation }: Pick<Session, 'incarnation'>): string => toBase64Url(incarnation)

/** Not for who has never known one. It is the relay's word alone: by it things are said anew, and nothing is unsaid. */
export function isAnotherIncarnation(store: Store, session: Session): boolean {
  const known = new Records(store, SHELF).get(KEY)
  return known !== undefined && known !== incarnationOf(session)
}

/** Once all is said anew: cut off before that, the next login begins with it again. */
export async function noteIncarnation(store: Store, session: Session): Promise<void> {
  const given = incarnationOf(session)
  const records = new Records(store, SHELF)
  if (records.get(KEY) !== given) await records.change({ key: KEY, put: given })
}

/** It may have an older profile: the chores bring it this one. */
export async function publishAnew(store: Store): Promise<void> {
  await store.write(forgetPublished)
}
