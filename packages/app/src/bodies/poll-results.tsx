// The results of a poll: shares, counts, bars, and the person's own vote marked.
import type { VNode } from 'preact'
import type { Poll } from '../contract/objects.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { sharesOf } from './poll-shares.ts'
import { bodyWords } from './words.ts'

export function PollResults({ poll }: { poll: Poll }): VNode {
  const shares = sharesOf(poll.options.map(({ votes }) => votes))
  const most = Math.max(...poll.options.map(({ votes }) => votes))
  return (
    <ul class="poll-results">
      {poll.options.map((option, at) => (
        <li
          class={option.votes === most && most > 0 ? 'poll-result poll-result-lead' : 'poll-result'}
          key={`${at} ${option.text}`}
        >
          <span class="poll-result-share" aria-hidden="true">
            {shares[at]}%
          </span>
          <span class="poll-result-text" dir="auto">
            {option.text}
          </span>
          <span class="poll-result-count" aria-hidden="true">
            {poll.voted.includes(at) && <Icon name="circle-check" size={15} />}
            {option.votes}
          </span>
          <span class="poll-result-track" aria-hidden="true">
            <span class="poll-result-bar" style={{ '--share': `${shares[at] ?? 0}%` }} />
          </span>
          <span class="unseen">
            {bodyWords.value.share(shares[at] ?? 0, option.votes)}
            {poll.voted.includes(at) && `, ${bodyWords.value.yourVote}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
