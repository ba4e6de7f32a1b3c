// A line across a pane that shows a state, with one action.
import type { ComponentChildren, VNode } from 'preact'
import { Icon, type IconName } from './icons/icon.tsx'
import './strip.css'

type StripProps = {
  icon?: IconName
  tone?: 'plain' | 'warn' | 'danger'
  action?: { word: string; run: () => void }
  children: ComponentChildren
}

export const Strip = ({ icon, tone = 'warn', action, children }: StripProps): VNode => (
  <div class={`strip strip-${tone}`} role="status">
    {icon && <Icon name={icon} size={17} />}
    <span class="strip-words">{children}</span>
    {action && (
      <button class="strip-action" type="button" onClick={action.run}>
        {action.word}
      </button>
    )}
  </div>
)
