// Everything with one value at a time ends with the last acknowledged value, or one that was in doubt since.
import { type Changed, possibleValues } from './deeds.ts'
import type { Finding } from './finding.ts'

/** `shown`: the final value for each party. */
export type Seen = Changed & { shown: ReadonlyMap<string, string> }

export const checkChanges = (seen: readonly Seen[]): Finding[] =>
  seen.flatMap(({ kind, what, shown, ...changed }) => {
    const possible = possibleValues(changed)
    return [...shown]
      .filter(([, value]) => !possible.includes(value))
      .map(
        ([party, value]): Finding => ({
          wrong: 'lost',
          deed: kind,
          what: `${what} is ${JSON.stringify(value)} at ${party}, acknowledged last: ${possible.map(one => JSON.stringify(one)).join(' or ')}`,
        }),
      )
  })
