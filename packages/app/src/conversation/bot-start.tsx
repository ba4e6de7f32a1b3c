// An empty chat with a bot: its name, its description, and who can read the messages.
import type { VNode } from 'preact'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { BotLabel } from '../parts/text/bot-label.tsx'
import './bot-start.css'
import { useTalk } from './talk.ts'
import { conversationWords } from './words.ts'

export function BotStart(): VNode {
  const chat = useTalk().chat.value
  const w = conversationWords.value
  return (
    // Reached by Tab: a long description is scrolled before the start.
    <div class="bot-start" tabIndex={0}>
      <div class="bot-start-column">
        <Avatar id={chat.id} name={chat.name} bot size="xl" />
        <h2 class="bot-start-name">
          <bdi class="bot-start-words" dir="auto">
            {chat.name}
          </bdi>
          <BotLabel />
        </h2>
        {chat.bot?.about && (
          <p class="bot-start-about" dir="auto">
            {chat.bot.about}
          </p>
        )}
        <div class="bot-start-note">
          <Icon name="eye" size={19} />
          <p>
            <strong class="bot-start-sees">{w.ownerSees}</strong> {w.ownerReads}
          </p>
        </div>
      </div>
    </div>
  )
}
