// The six most popular reactions, and the way to all others.
import type { VNode } from 'preact'
import type { Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { ask } from '../../parts/dialogs/dialogs.tsx'
import { EmojiChooser } from '../../parts/emoji/emoji-chooser.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { closeMenu } from '../../parts/menus/menus.tsx'
import type { Talk } from '../talk.ts'
import { quickReactions } from './action-rules.ts'
import { actionWords } from './action-words.ts'
import './quick-reactions.css'
import { react } from './reactions.tsx'

type QuickReactionsProps = { talk: Talk; message: Message }

export function QuickReactions({ talk, message }: QuickReactionsProps): VNode {
  const w = actionWords.value
  const choose = (emoji: string): void => {
    closeMenu()
    begin(react(talk, message, emoji))
  }
  return (
    <div class="quick-reactions">
      {quickReactions.map(emoji => (
        <button
          class="quick-reaction"
          key={emoji}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-label={w.react(emoji)}
          onClick={() => choose(emoji)}
        >
          {emoji}
        </button>
      ))}
      <button
        class="quick-reaction"
        type="button"
        role="menuitem"
        tabIndex={-1}
        aria-label={w.moreReactions}
        onClick={() => {
          closeMenu()
          begin(chooseReaction(talk, message))
        }}
      >
        <Icon name="plus" />
      </button>
    </div>
  )
}

async function chooseReaction(talk: Talk, message: Message): Promise<void> {
  const emoji = await ask<string | undefined>(answer => (
    <Dialog title={actionWords.value.chooseReaction} onClose={() => answer(undefined)}>
      <EmojiChooser onPick={answer} />
    </Dialog>
  ))
  if (emoji !== undefined) await react(talk, message, emoji)
}
