// No contacts yet: how to find some.
import type { VNode } from 'preact'
import { Button } from '../parts/fields/button.tsx'
import { Logo } from '../parts/icons/logo.tsx'
import { go } from '../router.ts'
import './empty-list.css'
import { chatListWords } from './words.ts'

export function EmptyList(): VNode {
  const w = chatListWords.value
  return (
    <div class="empty-list">
      <Logo size={56} />
      <h2 class="empty-list-title">{w.emptyTitle}</h2>
      <p>{w.emptyText}</p>
      <Button icon="qr-code" onClick={() => go({ screen: 'new-chat' })}>
        {w.shareLink}
      </Button>
      <Button kind="plain" icon="link" onClick={() => go({ screen: 'new-chat' })}>
        {w.openLink}
      </Button>
    </div>
  )
}
