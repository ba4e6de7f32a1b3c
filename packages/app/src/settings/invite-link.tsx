// The person's own invite link: everybody who has it can open a chat.
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { ShareButtons, SharedLink } from '../parts/qr/shared-link.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { settingsWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

async function renew(): Promise<void> {
  const w = settingsWords.value
  const yes = await confirm({
    title: w.newLinkTitle,
    text: w.newLinkText,
    yes: w.newLink,
    tone: 'warn',
    icon: 'triangle-alert',
  })
  if (!yes) return
  await call('newInvite', {})
  showToast({ kind: 'note', text: w.newLinkMade })
}

export function InviteLink(): VNode {
  const w = settingsWords.value
  const me = useView('me').value
  const url = me?.inviteUrl ?? ''
  return (
    <Page
      title={w.invite}
      foot={
        <>
          {url && <ShareButtons url={url} />}
          <Button kind="quiet" icon="refresh-cw" onClick={renew}>
            {w.newLink}
          </Button>
        </>
      }
    >
      {url && <SharedLink url={url} label={w.inviteCode} />}
      <PageText>{w.inviteText}</PageText>
    </Page>
  )
}
