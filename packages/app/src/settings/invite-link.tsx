// The person's own invite link: everybody who has it can open a chat.
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { copyText } from '../parts/fields/clipboard.ts'
import { Page, PageText } from '../parts/page.tsx'
import { QrCode } from '../parts/qr/qr-code.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import './invite-link.css'
import { settingsWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

const canShare = (url: string): boolean => 'canShare' in navigator && navigator.canShare({ url })

async function share(url: string): Promise<void> {
  try {
    await navigator.share({ url })
  } catch (error) {
    // Closed without a choice: nothing is wrong.
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
  }
}

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
          {canShare(url) ? (
            <ButtonPair>
              <Button kind="plain" icon="copy" onClick={() => copyText(url)}>
                {w.copy}
              </Button>
              <Button icon="share-2" onClick={() => share(url)}>
                {w.share}
              </Button>
            </ButtonPair>
          ) : (
            <Button icon="copy" disabled={!url} onClick={() => copyText(url)}>
              {w.copy}
            </Button>
          )}
          <Button kind="quiet" icon="refresh-cw" onClick={renew}>
            {w.newLink}
          </Button>
        </>
      }
    >
      {url && <QrCode text={url} label={w.inviteCode} />}
      <code class="invite-link-text" dir="ltr">
        {url}
      </code>
      <PageText>{w.inviteText}</PageText>
    </Page>
  )
}
