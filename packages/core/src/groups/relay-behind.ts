// Handles a relay that has lost part of a group, as after a restore of its own:
// nothing can be sent in that group any more.
import { CodedError, type Deadline, type GroupId, type Log } from '@postern/protocol'
import type { RelayLink } from '../relay-link/relay-link.ts'
import type { Store } from '../storage/transactions/store.ts'
import { endGroup, findGroup } from './group-records.ts'
import type { GroupSessions } from './group-sessions.ts'
import { readToEnd } from './read-to-end.ts'

export type BehindContext = {
  store: Store
  link: RelayLink
  groups: GroupSessions
  elapsed: { nowMs(): number }
  log: Log
  wakeChores: () => void
  rescheduleTimers: () => void
}

/** `known`: an epoch that the relay itself has reported. `atRelay` is absent if it says that there is no such group. */
type TwoEpochs = { known: number; atRelay: number | undefined }

/**
 * Throws `chat-healing` when the relay is behind: the group is over, and the chat continues in its next one. Retrying
 * in the old group would never succeed. A relay that lies gains nothing: it can refuse to carry a group anyway.
 */
export async function assertNotBehind(
  core: BehindContext,
  group: GroupId,
  { known, atRelay }: TwoEpochs,
): Promise<void> {
  if (atRelay !== undefined && atRelay >= known) return
  core.log.error({ group, known, atRelay }, 'relay lost part of a group; chat continues in a new group')
  await core.groups.run(group, async live => {
    live.isBroken = true
    await core.groups.save(live, database =>
      endGroup(database, group, { nowMs: core.elapsed.nowMs(), isRelayBehind: true }),
    )
  })
  core.wakeChores()
  core.rescheduleTimers()
  throw new CodedError('chat-healing')
}

/**
 * The relay says that there is no such group. It says the same to a member that was removed, but then the log shows the
 * removal. Otherwise the relay was restored from a backup that is older than the group: throws `chat-healing`.
 */
export async function assertNotForgotten(core: BehindContext, group: GroupId, deadline: Deadline): Promise<void> {
  await readToEnd(core, deadline)
  const isOver = await core.groups.run(group, async live => live.isBroken)
  const row = findGroup(core.store, group)
  if (isOver || row?.status !== 'open') return
  await assertNotBehind(core, group, { known: row.epoch, atRelay: undefined })
}

/**
 * For a change of the group, which cannot be made there.
 * Throws `chat-healing`; the next try finds out whether the chat was left.
 */
export async function refuseForgotten(core: BehindContext, group: GroupId, deadline: Deadline): Promise<never> {
  await assertNotForgotten(core, group, deadline)
  throw new CodedError('chat-healing')
}
