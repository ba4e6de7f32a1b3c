// The first report of a closed poll has its final tally: every vote that was acknowledged in time, and nothing is added later.
import { type Changed, possibleValues } from './deeds.ts'
import type { Finding } from './finding.ts'

/** `votes`: by account id, the choices of each voter: `''` for none. */
export type AskedPoll = {
  tag: string
  id: string
  by: string
  votes: ReadonlyMap<string, Pick<Changed, 'first' | 'changes'>>
}
/** The report of a closed poll: the options of each voter. Reports are in the order in which they were made. */
export type ClosedReport = { party: string; id: string; votes: ReadonlyMap<string, string> }

export function checkPolls(polls: readonly AskedPoll[], reports: readonly ClosedReport[]): Finding[] {
  return polls.flatMap(poll => {
    const [first, ...later] = reports.filter(report => report.id === poll.id && report.party === poll.by)
    if (!first) {
      const what = `poll ${poll.tag} was never reported closed to ${poll.by}`
      return [{ wrong: 'untold', deed: 'poll', what } satisfies Finding]
    }
    return [...checkTally(poll, first), ...later.flatMap(report => checkLater(poll, { first, report }))]
  })
}

function checkTally(poll: AskedPoll, report: ClosedReport): Finding[] {
  return [...poll.votes].flatMap(([voter, votes]): Finding[] => {
    const counted = report.votes.get(voter) ?? ''
    const possible = possibleValues(votes)
    if (possible.includes(counted)) return []
    const what = `poll ${poll.tag} was first reported closed to ${poll.by} with "${counted}" of ${voter}, who chose ${possible.map(value => `"${value}"`).join(' or ')}`
    return [{ wrong: counted === '' ? 'lost' : 'different', deed: 'vote', what }]
  })
}

function checkLater(poll: AskedPoll, { first, report }: { first: ClosedReport; report: ClosedReport }): Finding[] {
  const shown = ({ votes }: ClosedReport) =>
    [...votes]
      .map(vote => vote.join(' '))
      .toSorted()
      .join()
  if (shown(first) === shown(report)) return []
  const what = `poll ${poll.tag} was reported closed to ${poll.by} again with another tally`
  return [{ wrong: 'different', deed: 'poll', what }]
}
