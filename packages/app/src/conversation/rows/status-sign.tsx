// The status of an own message: a sign, and the word for it.
import type { VNode } from 'preact'
import { Icon, type IconName } from '../../parts/icons/icon.tsx'
import { conversationWords } from '../words.ts'
import './status-sign.css'

export type Status = 'waiting' | 'sending' | 'doubt' | 'sent' | 'delivered' | 'read'

const icons: Record<Status, IconName> = {
  waiting: 'clock',
  sending: 'clock',
  doubt: 'clock',
  sent: 'check',
  delivered: 'check-check',
  read: 'check-check',
}

export const StatusSign = ({ status }: { status: Status }): VNode => (
  <span
    class={status === 'read' ? 'status-sign status-sign-read' : 'status-sign'}
    title={conversationWords.value[status]}
  >
    <Icon name={icons[status]} size={15} />
    <span class="unseen">{conversationWords.value[status]}</span>
  </span>
)
