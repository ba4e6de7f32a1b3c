// The updates of an operator: at least once, in order, no id twice with another payload, and one update for each message.
import { isDeepStrictEqual } from 'node:util'
import type { List } from './check-lists.ts'
import type { Said } from './deeds.ts'
import type { Finding } from './finding.ts'

export type ToldUpdate = {
  id: number
  type: string
  chat_id: string
  message?: { id: string; text?: string | undefined; [field: string]: unknown }
  reaction?: { message_id: string; from: { id: string }; emoji: string; [field: string]: unknown }
  button?: { press_id: string; data: string; [field: string]: unknown }
  expired?: string[]
  [field: string]: unknown
}
/** All updates that one operator received, in order, including repeats. */
export type Telling = { party: string; updates: readonly ToldUpdate[] }

export function checkUpdates(telling: Telling, said: readonly Said[], lists: readonly List[]): Finding[] {
  return [...checkIds(telling), ...checkMessages(telling, said), ...checkToldOrder(telling, lists)]
}

/**
 * An update may be repeated, with the same content or, when its message is gone, without its words. A new id is above
 * all others.
 */
function checkIds({ party, updates }: Telling): Finding[] {
  const findings: Finding[] = []
  const first = new Map<number, ToldUpdate>()
  let newest = 0
  for (const update of updates) {
    const before = first.get(update.id)
    const what = `update ${update.id} (${update.type}) to ${party}`
    if (!before && update.id < newest)
      findings.push({ wrong: 'reordered', deed: 'update', what: `${what} came first after ${newest}` })
    if (before && !isSame(before, update))
      findings.push({ wrong: 'told-twice', deed: 'update', what: `${what} came again with another payload` })
    if (!before) first.set(update.id, update)
    newest = Math.max(newest, update.id)
  }
  return findings
}

const isSame = (before: ToldUpdate, again: ToldUpdate): boolean =>
  isDeepStrictEqual(again, before) || isDeepStrictEqual(again, withoutWords(before))

/** The form of a repeated update once its message has been deleted or has disappeared. */
function withoutWords({ message, reaction, button, ...update }: ToldUpdate): ToldUpdate {
  const { id, chat_id, from, ts } = message ?? { id: '' }
  return {
    ...update,
    ...(message && { message: { id, chat_id, from, ts } }),
    ...(reaction && { reaction: { ...reaction, emoji: '' } }),
    ...(button && { button: { ...button, data: '' } }),
  }
}

/** For each message of others with a known id: one update under one id. */
function checkMessages({ party, updates }: Telling, said: readonly Said[]): Finding[] {
  const idsOf = new Map<string, Set<number>>()
  for (const { id, type, message } of updates) {
    if (type !== 'message' || !message) continue
    idsOf.set(message.id, (idsOf.get(message.id) ?? new Set()).add(id))
  }
  return said.flatMap(({ kind, tag, by, id, outcome }): Finding[] => {
    if (by === party || id === undefined || outcome !== 'acknowledged') return []
    const count = idsOf.get(id)?.size ?? 0
    const what = `${kind} ${tag} of ${by} (${id}): ${count} updates to ${party}`
    if (count === 0) return [{ wrong: 'untold', deed: kind, what }]
    return count > 1 ? [{ wrong: 'told-twice', deed: kind, what }] : []
  })
}

/** Within a room messages are reported in the order in which they are shown. */
function checkToldOrder({ party, updates }: Telling, lists: readonly List[]): Finding[] {
  const updateOf = new Map<string, number>()
  for (const { id, type, message } of updates) if (type === 'message' && message) updateOf.set(message.id, id)
  return lists
    .filter(list => list.party === party)
    .flatMap(({ room, messages }) => {
      let newest = 0
      return messages.flatMap(({ id }): Finding[] => {
        const update = updateOf.get(id) ?? newest
        const isBack = update < newest
        newest = Math.max(newest, update)
        const what = `${id} in ${room} was told to ${party} before what stands above it`
        return isBack ? [{ wrong: 'reordered', deed: 'update', what }] : []
      })
    })
}
