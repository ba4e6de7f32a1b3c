// How many event ids were skipped after restores: what other numbers must skip that earlier lives may have handed out.
import { clientLimits } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import { changeShelf, readShelf } from '../storage/state/records.ts'
import { newestEventId, raiseNextId } from '../storage/transactions/event-ids.ts'
import type { Store } from '../storage/transactions/store.ts'

const SHELF = 'skipped-ids'
const KEY = 'total'

/** The sum over all restores. Each adds at least the events and messages that it has forgotten. */
export const skippedIds = (reads: Pick<Store, 'get'>): number => Number(readShelf(reads, SHELF, KEY) ?? 0)

/** The next event gets a higher id. With an id that is not higher, only the restore is counted. */
export function skipIds(database: Database, upTo: number): void {
  const rise = Math.max(upTo - newestEventId(database), clientLimits.updatesUnmarkedMax)
  raiseNextId(database, upTo)
  changeShelf(database, SHELF, [{ key: KEY, put: String(skippedIds(database) + rise) }])
}
