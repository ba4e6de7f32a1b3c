// Reports polls that are over as closed, each once.
import { clientLimits, type MessageId } from '@postern/protocol'
import { findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { endedPolls, noteEndTold } from '../messages/polls.ts'
import type { Database } from '../storage/database.ts'
import { emitAbout } from './emit-about.ts'

type Closing = Pick<Core, 'store' | 'own' | 'elapsed'>
/** Polls whose time came no later than that, and those that were closed here. */
type EndedPolls = { untilTs: number; closed: MessageId[] }

/** The caller has read every vote that counts. */
export async function closePolls(core: Closing, ended: EndedPolls): Promise<void> {
  for (let count: number = clientLimits.expirePerTurnMax; count === clientLimits.expirePerTurnMax; )
    count = await core.store.write(database => closeSome(core, database, ended))
}

function closeSome(core: Closing, database: Database, ended: EndedPolls): number {
  const rows = endedPolls(database, ended)
  for (const row of rows) {
    noteEndTold(database, row.id)
    const chat = findChat(database, row.chat_id)
    if (chat) emitAbout(core, database, { chat, type: 'poll', message: row.id, by: undefined, ts: row.end_ts })
  }
  return rows.length
}
