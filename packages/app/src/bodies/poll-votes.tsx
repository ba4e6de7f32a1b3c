// The voters of each answer.
import type { VNode } from 'preact'
import type { Poll } from '../contract/objects.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { Button } from '../parts/fields/button.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import './poll-votes.css'
import { bodyWords } from './words.ts'

export const PollVotes = ({ poll, onClose }: { poll: Poll; onClose: () => void }): VNode => (
  <Dialog title={poll.question} onClose={onClose}>
    <div class="poll-votes">
      {poll.options.map((option, at) => (
        <section key={`${at} ${option.text}`}>
          <h3 class="poll-votes-option" dir="auto">
            {option.text}
          </h3>
          {option.voters.length === 0 && <p class="poll-votes-none">{bodyWords.value.noVotes}</p>}
          <ul class="poll-votes-people">
            {option.voters.map(({ id, name }) => (
              <li class="poll-votes-person" key={id}>
                <Avatar id={id} name={name} size="xs" />
                <NameText name={name} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
    <Button kind="plain" onClick={onClose}>
      {bodyWords.value.close}
    </Button>
  </Dialog>
)
