// A poll: choices before the vote, then the results; change, withdraw, close.
import { useSignal } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Message, Poll } from '../contract/objects.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { ask, confirm } from '../parts/dialogs/dialogs.tsx'
import { lazyImport } from '../parts/lazy-import.ts'
import { RichText } from '../parts/text/rich-text.tsx'
import './poll-body.css'
import { momentOf } from '../i18n/dates.ts'
import { PollChoices } from './poll-choices.tsx'
import { PollResults } from './poll-results.tsx'
import { peopleWhoVoted } from './poll-shares.ts'
import { bodyWords } from './words.ts'

const votes = lazyImport(() => import('./poll-votes.tsx'))

/** `meta`: the time of the question, shown in the last line. */
type PollBodyProps = { message: Message; poll: Poll; isOwn: boolean; meta: VNode }

export function PollBody({ message, poll, isOwn, meta }: PollBodyProps): VNode {
  const isChanging = useSignal(false)
  const hasVoted = poll.voted.length > 0
  const showsResults = poll.closed || (hasVoted && !isChanging.value)
  const place = { chat: message.chat_id, message: message.id }
  const w = bodyWords.value
  const acts = useFocusKept(showsResults)
  const vote = async (options: number[]): Promise<void> => {
    await call('vote', { ...place, options })
    isChanging.value = false
  }
  return (
    <div class="poll-body">
      <h3 class="poll-body-question" dir="auto">
        <RichText text={poll.question} mentions={message.mentions} />
      </h3>
      <p class="poll-body-kind">{kindOf(poll)}</p>
      {showsResults ? <PollResults poll={poll} /> : <PollChoices poll={poll} onVote={vote} />}
      {!poll.closed && (
        <div class="poll-body-acts" ref={acts}>
          {showsResults && <Act word={w.change} onAct={() => void (isChanging.value = true)} />}
          {showsResults && <Act word={w.takeBack} onAct={() => begin(vote([]))} />}
          {isOwn && <Act word={w.closePoll} onAct={() => begin(closePoll(place))} />}
        </div>
      )}
      <div class="poll-body-foot">
        <button class="poll-body-more" type="button" onClick={() => begin(showVotes(poll))}>
          {w.showVotes}
        </button>
        <span class="poll-body-end">
          {w.people(peopleWhoVoted(poll))} · {meta}
        </span>
      </div>
    </div>
  )
}

const Act = ({ word, onAct }: { word: string; onAct: () => void }): VNode => (
  <button class="poll-body-act" type="button" onClick={onAct}>
    {word}
  </button>
)

/** The focused choice disappears when its vote counts: without this the keyboard would start at the top of the page. */
function useFocusKept(showsResults: boolean): RefObject<HTMLDivElement | null> {
  const acts = useRef<HTMLDivElement>(null)
  const body = acts.current?.parentElement
  const hadFocus = body?.querySelector('.poll-choices')?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    if (showsResults && hadFocus) acts.current?.querySelector('button')?.focus()
  }, [showsResults])
  return acts
}

async function showVotes(poll: Poll): Promise<void> {
  const { PollVotes } = await votes()
  await ask<void>(answer => <PollVotes poll={poll} onClose={() => answer(undefined)} />)
}

async function closePoll(place: { chat: string; message: string }): Promise<void> {
  const { closePoll: yes, closeAsk: title } = bodyWords.value
  if (await confirm({ title, yes })) await call('closePoll', place)
}

/** `Multiple answers · everyone sees who voted · closes Fri, 18:00` */
function kindOf(poll: Poll): string {
  const w = bodyWords.value
  const end = poll.closed ? [w.closed] : poll.close_ts ? [w.closes(momentOf(poll.close_ts))] : []
  return [poll.multiple ? w.severalAnswers : w.oneAnswer, w.everyoneSees, ...end].join(' · ')
}
