// The log of each group, assembled from all mailboxes: one entry at each position, no gap, one winner of each epoch.
import type { GroupId } from '@postern/protocol'
import type { Finding } from '../../chaos/check/finding.ts'
import { type Kept, type Mailbox, nameOf, placeOf } from './deed.ts'

/** By group, in the order of the log. */
export type Logs = ReadonlyMap<GroupId, readonly Kept[]>

export function gatherLogs(mailboxes: readonly Mailbox[]): { logs: Logs; findings: Finding[] } {
  const findings: Finding[] = []
  const groups = new Map<GroupId, Map<number, Kept>>()
  for (const { account, entries } of mailboxes)
    for (const entry of entries) {
      const log = groups.get(entry.group) ?? new Map<number, Kept>()
      groups.set(entry.group, log)
      const other = log.get(placeOf(entry))
      if (!other) log.set(placeOf(entry), entry)
      else if (factsOf(other) !== factsOf(entry))
        findings.push({ wrong: 'different', deed: entry.kind, what: `${account} has another ${nameOf(entry)}` })
    }
  const inOrder = (log: Map<number, Kept>) => [...log.values()].toSorted((one, other) => placeOf(one) - placeOf(other))
  const logs = new Map([...groups].map(([group, log]) => [group, inOrder(log)]))
  return { logs, findings: [...findings, ...[...logs.values()].flatMap(checkLog), ...checkOnce(logs)] }
}

/** All but its position in one mailbox. */
const factsOf = ({ seq, kind, sender, ts, message, epoch, added, removed }: Kept): string =>
  JSON.stringify([seq, kind, sender, ts, message, epoch, added, removed])

function checkLog(log: readonly Kept[]): Finding[] {
  const findings: Finding[] = checkWelcomes(log)
  let [seq, ts, epoch] = [0, 0, 0]
  for (const entry of log) {
    if (entry.kind === 'welcome') {
      if (entry.seq !== seq || entry.epoch !== epoch)
        findings.push({ wrong: 'reordered', deed: entry.kind, what: `${nameOf(entry)} is behind no commit` })
      continue
    }
    for (let missing = seq + 1; missing < entry.seq; missing++)
      findings.push({ wrong: 'lost', deed: 'entry', what: `nobody has ${missing} of ${entry.group}` })
    if (entry.ts <= ts) findings.push({ wrong: 'reordered', deed: entry.kind, what: `${nameOf(entry)}: its time` })
    if (entry.epoch !== epoch) findings.push({ wrong: 'reordered', deed: entry.kind, what: wrongEpoch(entry, epoch) })
    if (entry.kind === 'commit') epoch += 1
    seq = entry.seq
    ts = entry.ts
  }
  return findings
}

/** Every added member gets a welcome. */
const checkWelcomes = (log: readonly Kept[]): Finding[] =>
  log.flatMap((entry, at): Finding[] => {
    if (entry.added.length === 0 || log[at + 1]?.kind === 'welcome') return []
    return [{ wrong: 'lost', deed: 'welcome', what: `nobody has the welcome behind ${nameOf(entry)}` }]
  })

const wrongEpoch = (entry: Kept, epoch: number): string =>
  `${nameOf(entry)} was made for epoch ${entry.epoch} and is in epoch ${epoch}`

/** A message has one position, in all logs together. */
function checkOnce(logs: Logs): Finding[] {
  const all = [...logs.values()].flat().filter(({ kind }) => kind !== 'welcome')
  return [...Map.groupBy(all, ({ message }) => message).values()]
    .filter(places => places.length > 1)
    .map(places => ({ wrong: 'doubled', deed: places[0]?.kind ?? '', what: places.map(nameOf).join(', ') }))
}
