// An invite link that is scanned or pasted.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { QrScanner } from '../parts/qr/qr-scanner.tsx'
import { arriveBy } from './arrival.ts'
import { linkInText } from './link-in-text.ts'
import './onboarding.css'
import { onboardingWords } from './words.ts'

function readLink(from: string): void {
  const arrived = linkInText(from)
  if (arrived) arriveBy(arrived)
}

export function ByLink({ onBack }: { onBack: () => void }): VNode {
  const w = onboardingWords.value
  const text = useSignal('')
  const found = linkInText(text.value)
  return (
    <Page
      title={w.linkTitle}
      onBack={onBack}
      foot={
        <Button disabled={!found} onClick={() => readLink(text.value)}>
          {w.openLink}
        </Button>
      }
    >
      <PageText>{w.linkText}</PageText>
      <QrScanner onText={readLink} />
      <TextField
        label={w.linkLabel}
        value={text.value}
        onInput={value => void (text.value = value)}
        fault={text.value !== '' && !found ? w.linkWrong : undefined}
      />
    </Page>
  )
}
