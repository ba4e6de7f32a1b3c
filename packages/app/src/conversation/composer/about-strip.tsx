// Above the field: the message that is replied to, or that a message is being edited.
import type { VNode } from 'preact'
import { Icon } from '../../parts/icons/icon.tsx'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { snippetOf } from '../snippet.ts'
import { useTalk } from '../talk.ts'
import './about-strip.css'
import { composerWords } from './words.ts'

export function AboutStrip(): VNode | null {
  const talk = useTalk()
  const w = composerWords.value
  const about = talk.compose.about.value
  if (about.kind === 'none') return null
  const message = about.kind === 'edit' ? about.message : about.to
  const reply = message.from.id === talk.me ? w.replyingToYou : w.replying(message.from.name)
  return (
    <div class="about-strip">
      <Icon name={about.kind === 'edit' ? 'pencil' : 'reply'} />
      <span class="about-strip-words">
        <span class="about-strip-title">{about.kind === 'edit' ? w.editing : reply}</span>
        <span class="about-strip-text" dir="auto">
          {snippetOf(message)}
        </span>
      </span>
      <IconButton
        icon="x"
        label={w.cancel}
        onClick={() => {
          talk.compose.cancel()
          talk.compose.wantsFocus.value++
        }}
      />
    </div>
  )
}
