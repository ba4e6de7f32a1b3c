// The first steps on a new connection:
// checks whether this database is still the account's newest, and continues the mailbox.
import { clientLimits, isCoded } from '@postern/protocol'
import { deleteAllLinks } from '../chats/records/group-links.ts'
import type { Core } from '../context.ts'
import { distrustKeys } from '../groups/group-records.ts'
import { isRegistered, noteRegistered } from '../identity/account.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Journal } from '../journal/journal.ts'
import { noteRestored, progressOf, restoredCursor } from '../journal/progress.ts'
import { skipIds } from '../journal/skipped-ids.ts'
import { passOverOldRelay } from '../outbox/send-typing.ts'
import { settleInDoubt } from '../outbox/settle.ts'
import type { RelaySession } from '../relay-link/link-options.ts'
import { assertIntegrity } from '../storage/sqlite/integrity.ts'
import { newestEventId } from '../storage/transactions/event-ids.ts'
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
  // Only durable progress is acknowledged to the relay: a relay that is ahead has seen a later state of this database.
  const isMarkAhead = session.mark > progressOf(core.store).mark && session.mark <= clientLimits.updatesMarkMax
  const isRestored = session.cursor > Math.max(cursor, restoredCursor(core.store)) || isMarkAhead
  const isAnother = isAnotherIncarnation(core.store, session)
  if (isRestored || isAnother) core.link.doubt()
  // The older copy is revoked once this one has connected with its new device.
  if (isRestored) return await recoverFromBackup(core, journal, session)
  // Before key packages are published: those show the certificate.
  if (isAnother && !core.device.isNewest) await doubtDatabase(core)
  chores.keyPackages.noteAtRelay(session.keyPackages)
  await chores.keyPackages.publishFirst()
  if (isAnother) await tellAnew(core, chores)
  // Only now others can write to it: callers wait until then.
  if (!isRegistered(core.store)) await noteRegistered(core.store)
  await settleInDoubt(core)
  await follow(core, inbox, { cursor, isAnother })
  // For people alone: a bot does not receive typing.
  if (core.reportsAll) await core.link.call('followEphemeral', {}).catch(passOverOldRelay)
  await noteIncarnation(core.store, session)
  core.device.noteNewest()
  // A kill may have come before the last acknowledgement.
  core.link.acknowledge(progressOf(core.store))
}

/** Sends again what the relay received since its backup and nobody else sends. */
async function tellAnew(core: Pick<Core, 'store' | 'log'>, chores: Chores): Promise<void> {
  core.log.warn({}, 'relay restored from a backup; sending again what it may lack')
  await chores.keyPackages.replaceAll()
  await publishAnew(core.store)
}

/**
 * A relay that was restored has forgotten how far this account had come, and cannot tell whether this database was
 * restored as well. Only a client that has run since the relay's last incarnation knows that its database is the
 * newest.
 */
async function doubtDatabase({ device, clock }: Pick<Core, 'device' | 'clock'>): Promise<void> {
  await device.outrank(database => {
    distrustKeys(database)
    deleteAllLinks(database)
    skipIds(database, idAboveAll(newestEventId(database), clock.nowMs()))
  })
}

/** By the clock, so that a later life delivers higher ids than all lives before it, from whichever backup it was restored. */
function idAboveAll(newest: number, nowMs: number): number {
  const byClock = nowMs - clientLimits.updatesForgottenFromMs
  const raised = byClock > newest ? byClock : newest + clientLimits.updatesForgottenMax
  return raised <= clientLimits.updatesMarkMax ? raised : newest
}

type MailboxPlace = { cursor: number; isAnother: boolean }

async function follow(
  core: Pick<Core, 'link' | 'log'>,
  inbox: Inbox,
  { cursor, isAnother }: MailboxPlace,
): Promise<void> {
  // Before anything arrives: the relay assigns numbers of logs again,
  // and remembered places would put new entries elsewhere.
  if (isAnother) await inbox.rewind(cursor)
  const { head } = await followFrom(core, cursor)
  if (head >= cursor) return
  // Otherwise nothing that the relay delivers from now on would be accepted.
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
  // Before anything is sent: a copy of a directory that was in use is mostly damaged,
  // and its keys may be from two different times.
  assertIntegrity(core.store)
  core.groups.forgetAll()
  // In one transaction: with only half of it, the next login would find nothing to recover from, or recover forever.
  await core.device.replace(database => {
    distrustKeys(database)
    deleteAllLinks(database)
    noteRestored(database, session.cursor)
    const isUsable = session.mark >= journal.newest() && session.mark <= clientLimits.updatesMarkMax
    skipIds(database, isUsable ? session.mark + clientLimits.updatesUnmarkedMax : 0)
  })
  core.link.restart()
}
