// A message's text: links, mentions and commands can be tapped, everything else is plain text.
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { MentionView } from '../../contract/objects.ts'
import { go } from '../../router.ts'
import { partsOf, type TextPart } from './link-detection.ts'
import './rich-text.css'

type RichTextProps = {
  text: string
  mentions?: readonly MentionView[] | undefined
  /** In a chat with a bot: the action for a tapped `/command`. */
  onCommand?: ((command: string) => void) | undefined
}

export function RichText({ text, mentions, onCommand }: RichTextProps): VNode {
  const parts = useMemo(
    () => partsOf(text, { mentions: mentions ?? [], commands: onCommand !== undefined }),
    [text, mentions, onCommand === undefined],
  )
  return (
    <span class="rich-text" dir="auto">
      {parts.map((part, at) => (
        <Part key={at} part={part} onCommand={onCommand} />
      ))}
    </span>
  )
}

function Part({ part, onCommand }: { part: TextPart; onCommand: RichTextProps['onCommand'] }): VNode {
  switch (part.kind) {
    case 'text':
      return <>{part.text}</>
    case 'link':
      // Written from the left: in a line that is read from the right, the end of an address could look like its host.
      return (
        <a class="rich-text-link" dir="ltr" href={part.url} target="_blank" rel="noopener noreferrer">
          {part.text}
        </a>
      )
    case 'mention':
      return (
        <button
          class="rich-text-mention"
          type="button"
          dir="auto"
          onClick={() => go({ screen: 'person', account: part.user })}
        >
          {part.text}
        </button>
      )
    case 'command':
      return (
        <button class="rich-text-command" type="button" dir="ltr" onClick={() => onCommand?.(part.text)}>
          {part.text}
        </button>
      )
  }
}
