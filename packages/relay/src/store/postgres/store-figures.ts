// How much there is in the database: counted now and then.
import type { StoreFigures } from '../relay-store.ts'
import type { Postgres } from './database.ts'

export async function readStoreFigures(_database: Postgres): Promise<StoreFigures> {
  throw new Error('not written yet')
}
