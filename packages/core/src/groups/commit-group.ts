// Changes a group: one commit per epoch wins. A client whose commit loses applies the winner and plans its own again.
import {
  burnHandshakeGeneration,
  commitIntent,
  credentialOf,
  epoch,
  type GroupSession,
  isMlsError,
  leafOf,
  type MlsContext,
  type MlsProvider,
  type Roster,
  rosterOf,
  settingsOf,
  skipHandshakeGenerations,
} from '@postern/mls'
import {
  type AccountId,
  CodedError,
  clientLimits,
  type Deadline,
  type GroupId,
  isCoded,
  type MessageId,
  messageIdFromHash,
} from '@postern/protocol'
import { decodeGroupSettings, encodeGroupSettings, type GroupSettings, isPadded } from '@postern/protocol/content'
import { type RelayVerdict, readEnvelopeHeader } from '@postern/protocol/relay'
import type { OwnAccount } from '../identity/account.ts'
import { noteEncrypted, progressOf } from '../journal/progress.ts'
import { isRefusal, isStorageFault, isUnanswered, onlineAgain } from '../relay-link/relay-answers.ts'
import { findGroup, noteWithdrawn, ratchetChanges, saveRatchets } from './group-records.ts'
import { epochBytes, epochOf, type LiveGroup } from './group-sessions.ts'
import { deletePending, insertPending, type PendingCommit } from './pending-commits.ts'
import { readToEnd } from './read-to-end.ts'
import { assertNotBehind, type BehindContext, refuseForgotten } from './relay-behind.ts'

export type NewMember = { account: AccountId; keyPackage: Uint8Array }

export type CommitPlan = {
  add?: NewMember[]
  remove?: AccountId[]
  /** The proofs with which any member may remove those who have left. */
  farewells?: { account: AccountId; proof: Uint8Array }[]
  settings?: GroupSettings
  /** The accounts that the relay removes, if they differ: the ones to which it delivers, and no others. */
  atRelay?: { remove: AccountId[] }
}

/** Computes from the current group what is left to do of the intent, or nothing. */
export type CommitPlanner = (session: GroupSession) => CommitPlan | 'satisfied'

/** The parts of the client that change a group. */
export type CommitContext = BehindContext & {
  mls: MlsContext
  own: OwnAccount
  provider: MlsProvider
  sending: Set<MessageId>
}

/** Resolves when the commit has its place in the log and this client has reached it. */
export async function commitToGroup(
  core: CommitContext,
  group: GroupId,
  { intent, deadline }: { intent: CommitPlanner; deadline: Deadline },
): Promise<void> {
  // Nothing is made while the relay is unreachable: it would take effect later, after its caller got an error.
  await core.link.whenOnline(deadline.leftMs())
  for (let race = 0; race < clientLimits.commitRacesMax; race++) {
    await settlePending(core, group, deadline)
    // A copy of this database may have made a commit from the same state: its place in the log is found before another
    // is made.
    if (isDistrusted(core, group)) await readToEnd(core, deadline)
    const prepared = await prepareCommit(core, group, intent)
    if (prepared === 'satisfied') return
    const outcome = await submitPending(core, group, { by: prepared === 'busy' ? 'anybody' : 'maker', deadline })
    if (prepared === 'prepared' && outcome === 'adopted') return
  }
  throw new CodedError('relay-broken', { what: 'a commit lost every race' })
}

/** Settles a commit that an earlier connection or process left behind, before another is made. */
export async function settlePending(core: CommitContext, group: GroupId, deadline: Deadline): Promise<void> {
  const isPending = await core.groups.run(group, async live => live.pending !== undefined)
  if (isPending) await submitPending(core, group, { by: 'anybody', deadline })
}

/** Written before it is sent: after a crash the same bytes are sent again, and the relay recognizes them. */
async function prepareCommit(
  core: CommitContext,
  group: GroupId,
  intent: CommitPlanner,
): Promise<'satisfied' | 'prepared' | 'busy' | 'renewing'> {
  return await core.groups.run(group, async live => {
    if (live.pending) return 'busy'
    if (live.isBroken) throw new CodedError('chat-healing')
    await core.groups.recorded(live)
    const wanted = intent(live.session)
    if (wanted === 'satisfied') return 'satisfied'
    // Refused commits use up keys, too: past the limit, the others could not follow the one that is accepted.
    const isTooFar = (findGroup(core.store, group)?.withdrawn ?? 0) >= clientLimits.withdrawnBeforeUpdate
    const plan: CommitPlan = isTooFar ? {} : wanted
    const before = live.session
    // A copy may have used the next handshake keys, and the log of a restored relay may not show it.
    const from = isDistrusted(core, group) ? await skipHandshakeGenerations(before) : before
    const members = rosterOf(from)
    const settings = plan.settings ?? (plan.add?.length ? settingsToPad(from) : undefined)
    const made = await commitIntent(from, {
      add: (plan.add ?? []).map(({ account, keyPackage }) => ({ accountId: account, keyPackage })),
      removeLeaves: (plan.remove ?? []).map(account => requiredLeaf(members, account)),
      farewells: (plan.farewells ?? []).map(({ account, proof }) => ({ leaf: requiredLeaf(members, account), proof })),
      ...(settings && { settings: encodeGroupSettings(settings) }),
      own: {
        credential: credentialOf(core.own.publicKey, core.own.certificate),
        deviceKey: { publicKey: core.own.devicePublicKey, secretKey: core.own.deviceSecretKey },
      },
    }).catch(refuseKeyPackage)
    const pending: PendingCommit = {
      message: messageIdFromHash(core.provider.sha256(made.wire)),
      wire: made.wire,
      add: (plan.add ?? []).map(({ account }) => account),
      remove: plan.atRelay?.remove ?? plan.remove ?? [],
      welcome: made.welcome,
    }
    live.session = from
    live.pending = { ...pending, next: made.session }
    const nextState = epochBytes(made.session)
    await core.groups.save(live, database => {
      saveRatchets(database, group, ratchetChanges(before, from))
      // The relay learns before the commit that a key is used up, so that a copy that does not know of it is detected.
      noteEncrypted(database)
      insertPending(database, group, { ...pending, nextState })
    })
    return isTooFar ? 'renewing' : 'prepared'
  })
}

/** A welcome carries the settings: those of a client up to 0.2 would tell the relay how long the title is. */
function settingsToPad(session: GroupSession): GroupSettings | undefined {
  const settings = settingsOf(session)
  return isPadded(settings) ? undefined : decodeGroupSettings(settings)
}

const isDistrusted = ({ store }: Pick<CommitContext, 'store'>, group: GroupId): boolean =>
  (findGroup(store, group)?.needs_update ?? 0) !== 0

type CommitOutcome = 'adopted' | 'withdrawn'

/**
 * Adopted: it won. Withdrawn: another one won and the group has applied that, or the caller that sent it has given up.
 */
async function submitPending(
  core: CommitContext,
  group: GroupId,
  { by, deadline }: { by: 'maker' | 'anybody'; deadline: Deadline },
): Promise<CommitOutcome> {
  const { sending } = core
  const pending = await core.groups.run(group, async live => live.pending)
  if (!pending) return 'adopted'
  const { message } = pending
  // Only one caller sends it, however many wait for it:
  // a commit that adds a thousand people is large. Its maker must learn its outcome.
  if (by === 'anybody' && sending.has(message)) {
    const isOver = (live: LiveGroup) => live.pending?.message !== message || !sending.has(message)
    await core.groups.until(group, isOver, deadline.leftMs())
    return 'withdrawn'
  }
  sending.add(message)
  try {
    return await settleCommit(core, group, { pending, deadline })
  } finally {
    sending.delete(message)
    core.groups.touched(group)
  }
}

type Submission = { pending: PendingCommit; deadline: Deadline }

async function settleCommit(core: CommitContext, group: GroupId, submission: Submission): Promise<CommitOutcome> {
  const { pending, deadline } = submission
  const verdict = await callCommit(core, group, submission)
  if (verdict.accepted) {
    // Its place in the log is reached through the mailbox, after everything that came before it.
    await core.groups.until(group, live => live.pending?.message !== pending.message, deadline.leftMs())
    await core.store.caughtUp()
    return 'adopted'
  }
  await withdrawPending(core, group, pending)
  await assertNotBehind(core, group, { known: readEnvelopeHeader(pending.wire).epoch, atRelay: verdict.epoch })
  await core.groups.untilEpoch(group, verdict.epoch, deadline.leftMs())
  return 'withdrawn'
}

async function callCommit(core: CommitContext, group: GroupId, submission: Submission): Promise<RelayVerdict> {
  try {
    return await commitUntilAnswered(core, group, submission)
  } catch (error) {
    // A relay whose disk is full has not judged the commit.
    // A new commit for each try would use up keys until nobody can follow.
    if (isStorageFault(error)) throw new CodedError('send-in-doubt', {}, { cause: error })
    if (isRefusal(error)) await withdrawPending(core, group, submission.pending)
    if (isCoded(error, 'group-unknown')) return await refuseForgotten(core, group, submission.deadline)
    throw error
  }
}

/** The same bytes every time: the relay recognizes them when they come again. */
async function commitUntilAnswered(core: CommitContext, group: GroupId, submission: Submission): Promise<RelayVerdict> {
  const { pending, deadline } = submission
  const { wire: payload, add, remove, welcome } = pending
  for (;;) {
    await onlineAgain(core, deadline)
    try {
      const isFirst = await core.groups.run(group, async live => epochOf(live) === 0)
      if (isFirst) await createAtRelay(core, group, deadline)
      core.link.acknowledge(progressOf(core.store))
      return await core.link.call('commit', { payload, add, remove, welcome }, deadline.leftMs())
    } catch (error) {
      if (!isUnanswered(error)) throw error
    }
  }
}

/** A relay that does not know the group that is carried on counts its people as new ones. */
async function createAtRelay(core: CommitContext, group: GroupId, deadline: Deadline): Promise<void> {
  const continues = findGroup(core.store, group)?.continues ?? undefined
  try {
    await core.link.call('createGroup', { group, continues }, deadline.leftMs())
  } catch (error) {
    if (!continues || !isCoded(error, 'group-unknown')) throw error
    await core.link.call('createGroup', { group, continues: undefined }, deadline.leftMs())
  }
}

async function withdrawPending(core: CommitContext, group: GroupId, pending: PendingCommit): Promise<void> {
  await core.groups.run(group, async live => {
    if (live.pending?.message !== pending.message) return
    // Two commits from one state would share a key: the next one is made from the following generation.
    const burnt = await burnHandshakeGeneration(live.session)
    const changes = ratchetChanges(live.session, burnt)
    live.session = burnt
    live.pending = undefined
    await core.groups.save(live, database => {
      deletePending(database, group)
      saveRatchets(database, group, changes)
      noteWithdrawn(database, group, epoch(burnt))
    })
  })
}

/** A key package that does not prove the wanted account comes from the relay, or was left there by a faulty client. */
function refuseKeyPackage(error: unknown): never {
  if (!isMlsError(error, 'mls-bad-key-package', 'mls-bad-credential', 'mls-duplicate-account')) throw error
  throw new CodedError('relay-broken', { what: error.message }, { cause: error })
}

function requiredLeaf(members: Roster, account: AccountId): number {
  const leaf = leafOf(members, account)
  if (leaf === undefined) throw new CodedError('not-a-member', { account })
  return leaf
}
