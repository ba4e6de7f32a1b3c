// A relay that stands before what it has told of, as after a restore of its own: nothing can be said in the group there any more.
import { CodedError, type GroupId, type Log } from '@postern/protocol'
import { endGroup } from './group-records.ts'
import type { GroupSessions } from './group-sessions.ts'

export type BehindContext = {
  groups: GroupSessions
  passed: { nowMs(): number }
  log: Log
  poke: () => void
  rearm: () => void
}

/** `known`: an epoch that the relay itself has told of. Absent: it says that there is no such group at all. */
type TwoEpochs = { known: number; atRelay: number | undefined }

/**
 * Throws `chat-healing` when it is behind: the group is over, and the chat goes on in its next one. Tried again and again, it
 * would never be said. A relay that lies gains nothing: it can refuse to carry a group anyway.
 */
export async function assertNotBehind(
  core: BehindContext,
  group: GroupId,
  { known, atRelay }: TwoEpochs,
): Promise<void> {
  if (atRelay !== undefined && atRelay >= known) return
  core.log.error(
    { group, known, atRelay },
    'the relay has less of a group than it has told: the chat goes on in another',
  )
  await core.groups.run(group, async live => {
    live.isBroken = true
    await core.groups.save(live, database => endGroup(database, group, { nowMs: core.passed.nowMs() }))
  })
  core.poke()
  core.rearm()
  throw new CodedError('chat-healing')
}
