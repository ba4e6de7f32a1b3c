// How what an entry changes is written.
import type { LiveGroup } from '../groups/group-sessions.ts'
import type { Change } from '../storage/store.ts'

/** Puts a change and the cursor behind its entry into one transaction. Called once for each entry. */
export type Record = (change: Change<void>, live?: LiveGroup) => void
