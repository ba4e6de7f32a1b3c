// A line that nobody wrote: new members, changes, and repairs by the app.
import type { VNode } from 'preact'
import type { Notice } from '../../contract/objects.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { useTalk } from '../talk.ts'
import { noticeLine } from './notice-words.ts'
import './notice.css'

export function NoticeRow({ notice }: { notice: Notice }): VNode {
  const talk = useTalk()
  const { icon, text, isWarning } = noticeLine(notice, talk.bots.value, talk.me)
  return (
    <p class={isWarning ? 'notice notice-warning' : 'notice'}>
      {icon && <Icon name={icon} size={15} />}
      <span dir="auto">{text}</span>
    </p>
  )
}
