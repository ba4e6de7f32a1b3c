// How what an entry of the mailbox changes is written.
import type { LiveGroup } from '../groups/group-sessions.ts'
import type { Change } from '../storage/store.ts'

/** Puts a change and the cursor behind its entry into one transaction. Called once for each entry. */
export type WriteEntry = (change: Change<void>, live?: LiveGroup) => void
