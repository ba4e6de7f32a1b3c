// How the changes of a mailbox entry are written.
import type { LiveGroup } from '../groups/group-sessions.ts'
import type { DatabaseChange } from '../storage/transactions/store.ts'

/** Puts a change and the cursor after its entry into one transaction. Called once for each entry. */
export type WriteEntry = (change: DatabaseChange<void>, live?: LiveGroup) => void
