// The bar on top of a screen: back, an avatar, a title, and actions.
import type { ComponentChildren, VNode } from 'preact'
import { goBack } from '../router.ts'
import './bar.css'
import { IconButton } from './icons/icon-button.tsx'
import { BotLabel } from './text/bot-label.tsx'
import { NameText } from './text/name-text.tsx'
import { partsWords } from './words.ts'

type BarProps = {
  /** `narrow`: only where one pane is shown at a time. */
  back?: 'always' | 'narrow' | 'none'
  onBack?: (() => void) | undefined
  /** The buttons at the end. */
  end?: ComponentChildren
  children?: ComponentChildren
}

export const Bar = ({ back = 'always', onBack = goBack, end, children }: BarProps): VNode => (
  <header class="bar">
    {back !== 'none' && (
      <span class={back === 'narrow' ? 'bar-back bar-back-narrow' : 'bar-back'}>
        <IconButton icon="chevron-left" label={partsWords.value.back} onClick={onBack} />
      </span>
    )}
    {children}
    {end && <div class="bar-end">{end}</div>}
  </header>
)

/** The heading of the screen, with a line below it. */
export const BarTitle = ({ name, bot, sub }: { name: string; bot?: boolean; sub?: ComponentChildren }): VNode => (
  <div class="bar-title">
    <h1 class="bar-name">
      <NameText name={name} />
      {bot && <BotLabel />}
    </h1>
    {sub !== undefined && (
      <div class="bar-sub">{typeof sub === 'string' ? <span class="bar-sub-words">{sub}</span> : sub}</div>
    )}
  </div>
)
