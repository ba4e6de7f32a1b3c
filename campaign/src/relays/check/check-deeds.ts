// Compares the answers to senders with the log: accepted messages are there unchanged, refused ones are not, and
// nothing is invented.
import type { Finding } from '../../chaos/check/finding.ts'
import type { Deed, Kept, Told } from './deed.ts'
import type { Logs } from './gather-log.ts'

type Accepted = Extract<Told, { kind: 'accepted' }>

export function checkDeeds(deeds: readonly Deed[], logs: Logs): Finding[] {
  const entries = [...logs.values()].flat().filter(({ kind }) => kind !== 'welcome')
  const byMessage = new Map(entries.map(entry => [entry.message, entry]))
  const known = new Map(deeds.map(deed => [deed.message, deed]))
  return [
    ...deeds.flatMap(deed => checkTold(deed, byMessage.get(deed.message))),
    ...entries.flatMap(entry => checkMade(entry, known.get(entry.message))),
    ...checkSent(deeds),
  ]
}

function checkTold({ label, message, told }: Deed, entry: Kept | undefined): Finding[] {
  return told.flatMap((each): Finding[] => {
    const what = `${message} ${JSON.stringify(each)}`
    if (each.kind === 'absent') return entry ? [{ wrong: 'invented', deed: label, what: `it is there: ${what}` }] : []
    if (!entry) return [{ wrong: 'lost', deed: label, what }]
    if (entry.seq === each.seq && entry.ts === each.ts) return []
    return [{ wrong: 'different', deed: label, what: `${what}, but it is ${entry.seq} at ${entry.ts}` }]
  })
}

function checkMade(entry: Kept, deed: Deed | undefined): Finding[] {
  if (!deed) return [{ wrong: 'invented', deed: entry.kind, what: `nobody sent ${entry.message}` }]
  const said = ({ group, kind, sender, epoch }: Deed | Kept): unknown[] => [group, kind, sender, epoch]
  const isAsSent =
    JSON.stringify([said(deed), deed.add, deed.remove]) === JSON.stringify([said(entry), entry.added, entry.removed])
  return isAsSent ? [] : [{ wrong: 'different', deed: deed.label, what: `${entry.message} is not as it was sent` }]
}

/** The messages that one connection has sent to a group are in the order of sending, unless they were there before. */
function checkSent(deeds: readonly Deed[]): Finding[] {
  const first = deeds.flatMap(deed =>
    deed.told
      .filter((told): told is Accepted => told.kind === 'accepted' && !told.isDuplicate)
      .map(told => ({ deed, told })),
  )
  const sent = Map.groupBy(first, ({ deed, told }) => `${deed.sender} ${told.line} ${deed.group}`)
  return [...sent.values()].flatMap(onLine => {
    const inOrder = onLine.toSorted((one, other) => one.told.place - other.told.place)
    return inOrder.flatMap(({ deed, told }, at): Finding[] => {
      const before = inOrder[at - 1]
      if (!before || before.told.seq < told.seq) return []
      return [{ wrong: 'reordered', deed: deed.label, what: `${deed.message} is before what was sent before it` }]
    })
  })
}
