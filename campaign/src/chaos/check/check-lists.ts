// Every acknowledged message exists exactly once for each of its receivers, in one order, and no other message does.
import type { Said } from './deeds.ts'
import type { Finding } from './finding.ts'

export type ListedMessage = { id: string; tag: string | undefined }
/** The messages that one party shows of one room, oldest first. */
export type List = { party: string; room: string; messages: ListedMessage[] }
type Room = { room: string; lists: readonly List[] }

/** `gone`: tags of messages whose deletion was acknowledged or is in doubt. */
export function checkLists(said: readonly Said[], lists: readonly List[], gone: ReadonlySet<string>): Finding[] {
  const rooms = new Set(lists.map(list => list.room))
  return [...rooms].flatMap(room => {
    const inRoom = { room, lists: lists.filter(list => list.room === room) }
    const saidThere = said.filter(one => one.room === room)
    return [
      ...inRoom.lists.flatMap(list => checkPresence(saidThere, list, gone)),
      ...inRoom.lists.flatMap(list => checkOrder(saidThere, list)),
      ...checkSame(inRoom),
    ]
  })
}

function checkPresence(said: readonly Said[], list: List, gone: ReadonlySet<string>): Finding[] {
  const counts = countsOf(list.messages)
  const known = new Set(said.map(one => one.tag))
  const at = `${list.party} in ${list.room}`
  const findings = said.flatMap(({ kind, tag, outcome, by }): Finding[] => {
    const count = counts.get(tag) ?? 0
    const what = `${kind} ${tag} of ${by}: ${count} times at ${at}, ${outcome}`
    if (count > 1) return [{ wrong: 'doubled', deed: kind, what }]
    if (count === 1 && outcome === 'refused') return [{ wrong: 'invented', deed: kind, what }]
    const isOwed = outcome === 'acknowledged' && !gone.has(tag)
    return count === 0 && isOwed ? [{ wrong: 'lost', deed: kind, what }] : []
  })
  const strangers = [...counts.keys()].filter(tag => !known.has(tag))
  return [
    ...findings,
    ...strangers.map((tag): Finding => ({ wrong: 'invented', deed: 'text', what: `${tag} at ${at}: nobody said it` })),
  ]
}

function countsOf(messages: readonly ListedMessage[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { tag } of messages) if (tag !== undefined) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return counts
}

/** A message that was acknowledged before another one was begun is before it. */
function checkOrder(said: readonly Said[], { party, room, messages }: List): Finding[] {
  const byTag = new Map(said.map(one => [one.tag, one]))
  const shown = messages.flatMap(({ tag }) => byTag.get(tag ?? '') ?? [])
  const findings: Finding[] = []
  let earliest: Said | undefined
  for (const one of shown.toReversed()) {
    if (earliest && earliest.ended < one.begun)
      findings.push({
        wrong: 'reordered',
        deed: one.kind,
        what: `${one.tag} stands before ${earliest.tag} at ${party} in ${room}, but was begun after it was acknowledged`,
      })
    if (one.outcome === 'acknowledged' && (!earliest || one.ended < earliest.ended)) earliest = one
  }
  return findings
}

/** Everybody shows the same messages in the same order. */
function checkSame({ room, lists }: Room): Finding[] {
  const [first, ...others] = lists
  if (!first) return []
  const shown = ({ messages }: List) => messages.map(({ id }) => id)
  const expected = shown(first)
  return others.flatMap((list): Finding[] => {
    const ids = shown(list)
    const at = ids.findIndex((id, place) => id !== expected[place])
    const place = at >= 0 ? at : Math.min(ids.length, expected.length)
    if (at < 0 && ids.length === expected.length) return []
    const what = `${list.party} and ${first.party} differ in ${room} from message ${place} on: ${ids[place]}, ${expected[place]}`
    return [{ wrong: 'different', deed: 'text', what }]
  })
}
