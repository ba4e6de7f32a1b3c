// What happens first on a new connection: is this database still the account's newest, and where does the mailbox go on.

import type { Core } from '../context.ts'
import { isRegistered, noteRegistered } from '../identity/account.ts'
import { type Journal, raiseNextId } from '../journal/journal.ts'
import { progressOf } from '../journal/progress.ts'
import { eraseInTime } from '../messages/expiry.ts'
import { settleInDoubt } from '../messages/outbox.ts'
import type { Session } from '../relay-link/relay-link.ts'
import type { Chores } from './chores.ts'
import { noteMoved } from './follow-relay.ts'
import type { Inbox } from './inbox.ts'

/** Updates that were handed out shortly before the loss, and whose mark had not reached the relay. */
const UNMARKED_UPDATES = 1000
/** No bot gets so many updates: a relay that claims it would leave no whole numbers for those to come. */
const MARK_MAX = 2 ** 48

export async function startSession(
  core: Core,
  { inbox, chores, journal }: { inbox: Inbox; chores: Chores; journal: Journal },
  session: Session,
): Promise<void> {
  await inbox.restart()
  if (core.relayUrl !== core.own.relayUrl) await noteMoved(core, session)
  const cursor = await inbox.restart()
  core.device.noteLoggedIn()
  await journal.dateAtMost(core.passed.nowMs())
  await eraseInTime(core)
  // The relay is told only what is durable here: one that is ahead has seen a later state of this database.
  const isMarkAhead = session.mark > progressOf(core.store).mark && session.mark <= MARK_MAX
  const isRestored = session.cursor > Math.max(cursor, restoredCursor(core)) || isMarkAhead
  // The older copy is out once this one has come under its new device.
  if (isRestored) return await recoverFromBackup(core, journal, session)
  chores.keyPackages.noteAtRelay(session.keyPackages)
  await chores.keyPackages.publishFirst()
  // Only now can others write to it: whoever asks before is told to wait.
  if (!isRegistered(core.store)) await noteRegistered(core.store)
  await settleInDoubt(core)
  await follow(core, inbox, cursor)
}

/** How far the relay had heard of this account when it was last recovered: up to there nothing is news. */
const restoredCursor = (core: Core): number =>
  core.store.get<{ cursor: number }>('SELECT restored_cursor AS cursor FROM mailbox')?.cursor ?? 0

async function follow(core: Core, inbox: Inbox, cursor: number): Promise<void> {
  const { head } = await core.link.call('follow', { after: cursor })
  if (head >= cursor) return
  // Left as it is, nothing that the relay delivers from now on would be taken.
  core.log.error({ cursor, head }, 'the relay has less than was read from it: it is read on from where it ends')
  await inbox.rewind(head)
  await core.link.call('follow', { after: head })
}

async function recoverFromBackup(core: Core, journal: Journal, session: Session): Promise<void> {
  core.log.warn({}, 'the database is older than what the relay has seen: it was restored from a backup')
  core.groups.forgetAll()
  // In one transaction: told of half of it only, the next login would find nothing to recover from, or do it for ever.
  await core.device.replace(database => {
    database.run('UPDATE mls_group SET needs_update = 1')
    database.run('UPDATE mailbox SET restored_cursor = ?', session.cursor)
    const isUsable = session.mark >= journal.newest() && session.mark <= MARK_MAX
    if (isUsable) raiseNextId(database, session.mark + UNMARKED_UPDATES)
  })
  core.link.restart()
}
