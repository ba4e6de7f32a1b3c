// The people who ask an admin for a place in the group: a strip above the conversation.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ChatDetail, Person } from '../../contract/objects.ts'
import { agreesToBots } from '../../group/warn-of-bots.ts'
import { call } from '../../link/link.ts'
import { Avatar } from '../../parts/avatar/avatar.tsx'
import { Button } from '../../parts/fields/button.tsx'
import { NameText } from '../../parts/text/name-text.tsx'
import { joinWords } from './join-words.ts'
import './join-requests.css'

/** Further ones are shown when the person asks for them: a flood must not cover the conversation. */
const SHOWN_MAX = 3

export function JoinRequests({ chat, people }: { chat: ChatDetail; people: Person[] }): VNode {
  const w = joinWords.value
  const isWhole = useSignal(false)
  const shown = isWhole.value ? people : people.slice(0, SHOWN_MAX)
  return (
    <section class="join-requests" aria-label={w.requests}>
      <ul class="join-requests-list">
        {shown.map(person => (
          <JoinRequest key={person.id} chat={chat} person={person} />
        ))}
      </ul>
      {shown.length < people.length && (
        <Button kind="quiet" onClick={() => void (isWhole.value = true)}>
          {w.more(people.length - shown.length)}
        </Button>
      )}
    </section>
  )
}

function JoinRequest({ chat, person }: { chat: ChatDetail; person: Person }): VNode {
  const w = joinWords.value
  const { id: account, name, bot = false } = person
  const answer = (given: 'add' | 'decline') => call('answerJoin', { chat: chat.id, account, answer: given })
  const add = async (): Promise<void> => {
    if (await agreesToBots([{ ...person, bot }], { name: chat.name, members: chat.members.length })) await answer('add')
  }
  return (
    <li class="join-request">
      <Avatar id={account} name={name} bot={bot} size="s" />
      <span class="join-request-words">
        <NameText name={name} />
        <span class="join-request-wish">{w.wants}</span>
      </span>
      <span class="join-request-buttons">
        <Button kind="quiet" onClick={() => answer('decline')}>
          {w.decline}
        </Button>
        <Button kind="plain" onClick={add}>
          {w.add}
        </Button>
      </span>
    </li>
  )
}
