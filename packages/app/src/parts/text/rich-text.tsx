// A message's text: formatted, with links, mentions and commands that can be tapped.
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { EntityView, MentionView } from '../../contract/objects.ts'
import { go } from '../../router.ts'
import { type FormattedPart, formattedParts } from './formatted-parts.ts'
import { FormattedSpan } from './formatted-span.tsx'
import './rich-text.css'

type RichTextProps = {
  text: string
  mentions?: readonly MentionView[] | undefined
  entities?: readonly EntityView[] | undefined
  /** In a chat with a bot: the action for a tapped `/command`. */
  onCommand?: ((command: string) => void) | undefined
  /** The action for a link with other words than its address. */
  onLink?: ((url: string) => void) | undefined
}

export function RichText({ text, mentions, entities, onCommand, onLink }: RichTextProps): VNode {
  const parts = useMemo(
    () => formattedParts(text, entities ?? [], { mentions: mentions ?? [], commands: onCommand !== undefined }),
    [text, mentions, entities, onCommand === undefined],
  )
  return (
    <span class="rich-text" dir="auto">
      <Parts parts={parts} onCommand={onCommand} onLink={onLink} />
    </span>
  )
}

type Actions = { onCommand: RichTextProps['onCommand']; onLink: RichTextProps['onLink'] }

const Parts = ({ parts, ...actions }: Actions & { parts: FormattedPart[] }): VNode => (
  <>
    {parts.map((part, at) => (
      <Part key={at} part={part} {...actions} />
    ))}
  </>
)

function Part({ part, onCommand, onLink }: Actions & { part: FormattedPart }): VNode {
  switch (part.kind) {
    case 'formatted':
      return (
        <FormattedSpan entity={part.entity} onLink={onLink}>
          <Parts parts={part.parts} onCommand={onCommand} onLink={onLink} />
        </FormattedSpan>
      )
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
