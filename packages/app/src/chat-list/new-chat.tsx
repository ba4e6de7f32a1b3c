// A chat with a new person: by their link, or by showing the person's own link.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useView } from '../link/link.ts'
import { arriveBy } from '../onboarding/arrival.ts'
import { linkInText } from '../onboarding/link-in-text.ts'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Page, PageSection, PageText } from '../parts/page.tsx'
import { QrCode } from '../parts/qr/qr-code.tsx'
import { QrScanner } from '../parts/qr/qr-scanner.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { AskedJoins } from './asked-joins.tsx'
import { chatListWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

export function NewChat(): VNode {
  const w = chatListWords.value
  const me = useView('me')
  const text = useSignal('')
  const found = linkInText(text.value)
  const take = (from: string): void => {
    const invitation = linkInText(from)
    if (invitation) arriveBy(invitation)
  }
  return (
    <Page title={w.linkTitle}>
      <PageText>{w.linkText}</PageText>
      <TextField
        label={w.linkLabel}
        value={text.value}
        onInput={value => void (text.value = value)}
        fault={text.value !== '' && !found ? w.linkWrong : undefined}
      />
      <Button disabled={!found} onClick={() => take(text.value)}>
        {w.open}
      </Button>
      <QrScanner onText={take} />
      <AskedJoins />
      {me.value && <OwnLink link={me.value.inviteUrl} />}
    </Page>
  )
}

function OwnLink({ link }: { link: string }): VNode {
  const w = chatListWords.value
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link)
      showToast({ kind: 'note', text: w.copied })
    } catch {
      showToast({ kind: 'error', text: w.copyFailed })
    }
  }
  const share = async (): Promise<void> => {
    try {
      await navigator.share({ url: link })
    } catch {
      // Closed without a choice: that is an answer, too.
    }
  }
  return (
    <>
      <PageSection title={w.ownLink} />
      <PageText>{w.ownLinkText}</PageText>
      <QrCode text={link} label={w.codeOfLink} />
      <ButtonPair>
        <Button kind="plain" icon="copy" onClick={copy}>
          {w.copy}
        </Button>
        {'share' in navigator && (
          <Button kind="plain" icon="share-2" onClick={share}>
            {w.share}
          </Button>
        )}
      </ButtonPair>
    </>
  )
}
