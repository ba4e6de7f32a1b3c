// What happens first on a new connection: is this database still the account's newest, and where does the mailbox go on.
import { clientLimits, isCoded } from '@postern/protocol'
import type { Core } from '../context.ts'
import { distrustKeys } from '../groups/group-records.ts'
import { isRegistered, noteRegistered } from '../identity/account.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Journal } from '../journal/journal.ts'
import { noteRestored, progressOf, restoredCursor } from '../journal/progress.ts'
import { settleInDoubt } from '../outbox/settle.ts'
import type { RelaySession } from '../relay-link/link-options.ts'
import { assertIntegrity } from '../storage/sqlite/integrity.ts'
import { newestEventId, raiseNextId } from '../storage/transactions/event-ids.ts'
import { eraseInTime } from '../timeline/expiry.ts'
import type { Chores } from './chores.ts'
import { noteMoved } from './follow-relay.ts'
import { isAnotherIncarnation, noteIncarnation, publishAnew } from './relay-incarnation.ts'

export async function startSession(
  core: Core,
  { inbox, chores, journal }: { inbox: Inbox; chores: Chores; journal: Journal },
  session: RelaySession,
): Promise<void> {
  await inbox.restart()
  if (core.relayUrl !== core.own.relayUrl) await noteMoved(core, session)
  const cursor = await inbox.restart()
  core.device.noteLoggedIn()
  await journal.dateAtMost(core.elapsed.nowMs())
  await eraseInTime(core)
  // The relay is told only what is durable here: one that is ahead has seen a later state of this database.
  const isMarkAhead = session.mark > progressOf(core.store).mark && session.mark <= clientLimits.updatesMarkMax
  const isRestored = session.cursor > Math.max(cursor, restoredCursor(core.store)) || isMarkAhead
  // The older copy is out once this one has come under its new device.
  if (isRestored) return await recoverFromBackup(core, journal, session)
  chores.keyPackages.noteAtRelay(session.keyPackages)
  await chores.keyPackages.publishFirst()
  const isAnother = isAnotherIncarnation(core.store, session)
  if (isAnother) await tellAnew(core, chores)
  if (isAnother && !core.device.isNewest) await doubtDatabase(core.store)
  // Only now can others write to it: whoever asks before is told to wait.
  if (!isRegistered(core.store)) await noteRegistered(core.store)
  await settleInDoubt(core)
  await follow(core, inbox, { cursor, isAnother })
  await noteIncarnation(core.store, session)
  core.device.noteNewest()
  // A kill may have come before the last of it was told.
  core.link.acknowledge(progressOf(core.store))
}

/** What the relay was told since its backup, and nobody else tells it. */
async function tellAnew(core: Pick<Core, 'store' | 'log'>, chores: Chores): Promise<void> {
  core.log.warn({}, 'relay restored from a backup; sending again what it may lack')
  await chores.keyPackages.replaceAll()
  await publishAnew(core.store)
}

/**
 * A relay that was restored has forgotten how far this account had come, and cannot tell that this database was restored as well.
 * Only a client that has run since the relay's last life knows that its database is the newest.
 */
async function doubtDatabase(store: Core['store']): Promise<void> {
  await store.write(database => {
    distrustKeys(database)
    const raised = newestEventId(database) + clientLimits.updatesForgottenMax
    if (raised <= clientLimits.updatesMarkMax) raiseNextId(database, raised)
  })
}

type MailboxPlace = { cursor: number; isAnother: boolean }

async function follow(
  core: Pick<Core, 'link' | 'log'>,
  inbox: Inbox,
  { cursor, isAnother }: MailboxPlace,
): Promise<void> {
  // Before anything comes: numbers of logs are given out again, and what was remembered of them would put it elsewhere.
  if (isAnother) await inbox.rewind(cursor)
  const { head } = await followFrom(core, cursor)
  if (head >= cursor) return
  // Left as it is, nothing that the relay delivers from now on would be taken.
  core.log.error({ cursor, head }, 'relay lost entries that were already read; continuing at its end')
  await inbox.rewind(head)
  await followFrom(core, head)
}

/** A relay that is older than this program does not know chained pages. */
async function followFrom({ link }: Pick<Core, 'link'>, after: number): Promise<{ head: number }> {
  try {
    return await link.call('followChained', { after })
  } catch (error) {
    if (!isCoded(error, 'frame-malformed')) throw error
    return await link.call('follow', { after })
  }
}

async function recoverFromBackup(
  core: Pick<Core, 'groups' | 'device' | 'link' | 'log' | 'store'>,
  journal: Journal,
  session: RelaySession,
): Promise<void> {
  core.log.warn({}, 'database restored from a backup: the relay has seen newer data')
  // Before a word is said: a copy of a directory that was in use is mostly damaged, and keys in it may be of two times at once.
  assertIntegrity(core.store)
  core.groups.forgetAll()
  // In one transaction: told of half of it only, the next login would find nothing to recover from, or do it for ever.
  await core.device.replace(database => {
    distrustKeys(database)
    noteRestored(database, session.cursor)
    const isUsable = session.mark >= journal.newest() && session.mark <= clientLimits.updatesMarkMax
    if (isUsable) raiseNextId(database, session.mark + clientLimits.updatesUnmarkedMax)
  })
  core.link.restart()
}
