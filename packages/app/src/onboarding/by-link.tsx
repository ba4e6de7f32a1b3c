// A link that is scanned or pasted: an invite, or an account that comes from another device.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { call } from '../link/link.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Bar, BarTitle } from '../parts/bar.tsx'
import { Button } from '../parts/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { QrScanner } from '../parts/qr-scanner.tsx'
import { TextField } from '../parts/text-field.tsx'
import { type Arrival, arrival, arriveBy, forgetArrival } from './arrival.ts'
import { linkInText } from './link-in-text.ts'
import './onboarding.css'
import { onboardingWords } from './words.ts'

async function moveIn(link: string): Promise<void> {
  if (await attempt(call('moveIn', { link }))) forgetArrival()
}

export function ByLink({ wanted, onBack }: { wanted: Arrival['kind']; onBack: () => void }): VNode {
  const w = onboardingWords.value
  const here = arrival.value?.kind === wanted ? arrival.value.link : ''
  const text = useSignal(here)
  const found = linkInText(text.value)
  const isWrong = text.value !== '' && found?.kind !== wanted
  const take = async (from: string): Promise<void> => {
    const arrived = linkInText(from)
    if (arrived?.kind !== wanted) return
    if (wanted === 'move') return moveIn(arrived.link)
    arriveBy(arrived)
  }
  return (
    <Page
      bar={
        <Bar
          onBack={() => {
            if (wanted === 'move') forgetArrival()
            onBack()
          }}
        >
          <BarTitle name={wanted === 'move' ? w.moveTitle : w.linkTitle} />
        </Bar>
      }
      foot={
        <Button disabled={found?.kind !== wanted} onClick={() => take(text.value)}>
          {wanted === 'move' ? w.move : w.openLink}
        </Button>
      }
    >
      <PageText>{wanted === 'move' ? w.moveText : w.linkText}</PageText>
      <QrScanner onText={scanned => begin(take(scanned))} />
      <TextField
        label={w.linkLabel}
        value={text.value}
        onInput={value => {
          text.value = value
        }}
        fault={isWrong ? w.linkWrong : undefined}
      />
    </Page>
  )
}
