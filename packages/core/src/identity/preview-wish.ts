// Whether the owner wants the words of messages in notifications: off until the app sets it.
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

export const wantsPreviews = (reads: Pick<Store, 'get'>): boolean =>
  reads.get<{ previews: number }>('SELECT previews FROM account')?.previews === 1

/** False when it was so before. */
export const notePreviewWish = (database: Database, wanted: boolean): boolean =>
  database.run('UPDATE account SET previews = ? WHERE previews <> ?', wanted ? 1 : 0, wanted ? 1 : 0).changes === 1
