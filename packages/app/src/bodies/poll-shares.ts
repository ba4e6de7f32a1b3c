// Statistics of a poll: shares that add up to a hundred, and the number of voters.
import type { Poll } from '../contract/objects.ts'

/** Percent of all votes, rounded so that they add up: the largest remainders are rounded up. */
export function sharesOf(votes: readonly number[]): number[] {
  const all = votes.reduce((sum, count) => sum + count, 0)
  if (all === 0) return votes.map(() => 0)
  const exact = votes.map(count => (count * 100) / all)
  const shares = exact.map(Math.floor)
  const missing = 100 - shares.reduce((sum, share) => sum + share, 0)
  const byRemainder = exact
    .map((share, at) => ({ at, remainder: share - Math.floor(share) }))
    .toSorted((one, other) => other.remainder - one.remainder || one.at - other.at)
  for (const { at } of byRemainder.slice(0, missing)) shares[at] = (shares[at] ?? 0) + 1
  return shares
}

/** With several answers, one person may have given many. */
export const peopleWhoVoted = ({ options }: Poll): number =>
  new Set(options.flatMap(({ voters }) => voters.map(({ id }) => id))).size
