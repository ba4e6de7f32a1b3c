// Formatted words as elements: a link has other words than its address, so it is not opened by the browser.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import type { EntityView } from '../../contract/objects.ts'
import { partsWords } from '../words.ts'
import './formatted-span.css'

/** `onLink`: asks before it opens the address; without it, links are words. */
type FormattedSpanProps = {
  entity: EntityView
  onLink: ((url: string) => void) | undefined
  children: ComponentChildren
}

export function FormattedSpan({ entity, onLink, children }: FormattedSpanProps): VNode {
  switch (entity.type) {
    case 'bold':
      return <strong class="formatted-bold">{children}</strong>
    case 'italic':
      return <em>{children}</em>
    case 'strike':
      return <s>{children}</s>
    case 'code':
      return <code class="formatted-code">{children}</code>
    case 'pre':
      // Reached by Tab: long lines are scrolled.
      return (
        <pre class="formatted-pre" dir="ltr" tabIndex={0} aria-label={entity.lang}>
          {children}
        </pre>
      )
    case 'quote':
      return <blockquote class="formatted-quote">{children}</blockquote>
    case 'spoiler':
      return <Spoiler>{children}</Spoiler>
    case 'link': {
      const { url = '' } = entity
      if (!onLink) return <>{children}</>
      return (
        <button class="formatted-link" type="button" title={url} onClick={() => onLink(url)}>
          {children}
        </button>
      )
    }
  }
}

/** Hidden also from those who listen, and its links cannot be pressed, until it is shown. */
function Spoiler({ children }: { children: ComponentChildren }): VNode {
  const isShown = useSignal(false)
  const show = (event: Event): void => {
    event.preventDefault()
    isShown.value = true
  }
  if (isShown.value) return <span class="formatted-spoiler">{children}</span>
  return (
    <span
      class="formatted-spoiler formatted-spoiler-hidden"
      role="button"
      tabIndex={0}
      aria-label={partsWords.value.hiddenText}
      onClick={show}
      onKeyDown={event => {
        if (event.key === 'Enter' || event.key === ' ') show(event)
      }}
    >
      <span class="formatted-spoiler-words" inert>
        {children}
      </span>
    </span>
  )
}
