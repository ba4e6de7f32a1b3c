// Starts the measured processes.
import { Child } from '../processes/child.ts'
import type { BareSettings } from './bare-log.ts'
import type { StorePlace, StoreSettings } from './store-process.ts'

/** One after the other: the first creates the tables. */
export async function startStores(
  place: StorePlace,
  count: number,
  limits: NonNullable<StoreSettings['limits']> = {},
): Promise<Child[]> {
  const children: Child[] = []
  for (let at = 0; at < count; at++)
    children.push(
      await Child.start(new URL('./store-process.ts', import.meta.url), { place, limits } satisfies StoreSettings),
    )
  return children
}

export const startBareLog = (database: string): Promise<Child> =>
  Child.start(new URL('./bare-log.ts', import.meta.url), { database } satisfies BareSettings)
