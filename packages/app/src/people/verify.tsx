// Comparing keys with a person: one number and one code for both, read out or scanned.
import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { PersonDetail, SafetyNumberView } from '../contract/objects.ts'
import { call, useView } from '../link/link.ts'
import { askUntilAnswered } from '../parts/ask-until.ts'
import { begin } from '../parts/attempt.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { shortNameOf } from '../parts/avatar/face.ts'
import { Bar, BarTitle } from '../parts/bar.tsx'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { QrCode } from '../parts/qr/qr-code.tsx'
import { QrScanner } from '../parts/qr/qr-scanner.tsx'
import { touched } from '../router.ts'
import { type ComparisonResult, compareCodes, digitGroups } from './compare.ts'
import './verify.css'
import { VerifyAnswer } from './verify-answer.tsx'
import { peopleWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

export function Verify({ account }: { account: string }): VNode {
  const w = peopleWords.value
  const person = useView('person', account).value
  // The view may still be that of the previous person.
  if (!person || person.id !== account) return <Page title={w.verify}>{null}</Page>
  return person.bot ? <BotKeys person={person} /> : <PersonKeys key={account} person={person} />
}

const VerifyBar = ({ person, sub }: { person: PersonDetail; sub: string }): VNode => (
  <Bar>
    <Avatar id={person.id} name={person.name} bot={person.bot} avatar={person.avatar} size="s" />
    <BarTitle name={person.name} bot={person.bot} sub={sub} />
  </Bar>
)

function useSafetyNumber(account: string): Signal<SafetyNumberView | undefined> {
  const number = useSignal<SafetyNumberView | undefined>(undefined)
  const isTouched = touched.value
  useEffect(() => {
    // This may ask the relay for the key: not just because an address was opened.
    if (!isTouched) return
    return askUntilAnswered(() => call('safetyNumber', { account }), {
      answered: loaded => {
        if (loaded.account === account) number.value = loaded
      },
    })
  }, [account, isTouched])
  return number
}

const setVerified = (account: string, verified: boolean): Promise<void> => call('setVerified', { account, verified })

async function markByHand({ id }: PersonDetail): Promise<void> {
  const w = peopleWords.value
  const yes = await confirm({ title: w.verifyMarkTitle, text: w.verifyMarkText, yes: w.yesWord, icon: 'shield-check' })
  if (yes) await setVerified(id, true)
}

function PersonKeys({ person }: { person: PersonDetail }): VNode {
  const w = peopleWords.value
  const number = useSafetyNumber(person.id).value
  const scanning = useSignal(false)
  const compared = useSignal<ComparisonResult | undefined>(undefined)
  const hear = (text: string): void => {
    if (!number) return
    scanning.value = false
    compared.value = compareCodes(number, text)
    // A different code removes a mark: the earlier result does not apply to this one.
    begin(setVerified(person.id, compared.value === 'same'))
  }
  return (
    <Page
      bar={<VerifyBar person={person} sub={w.compare} />}
      foot={number && <Foot person={person} scanning={scanning} />}
    >
      {!touched.value && <Button kind="plain">{w.showNumbers}</Button>}
      {number && scanning.value && <QrScanner onText={hear} />}
      {number && !scanning.value && <Numbers number={number} name={person.name} />}
      {compared.value && (
        <VerifyAnswer
          compared={compared.value}
          name={person.name}
          onClose={() => {
            compared.value = undefined
          }}
        />
      )}
    </Page>
  )
}

function Numbers({ number, name }: { number: SafetyNumberView; name: string }): VNode {
  const w = peopleWords.value
  return (
    <>
      <QrCode text={number.qr} label={w.qr} />
      <div class="verify-digits" dir="ltr" role="group" aria-label={w.numbers}>
        {digitGroups(number.number).map((digits, at) => (
          <span key={at}>{digits}</span>
        ))}
      </div>
      <p class="verify-text">{w.compareBy(shortNameOf(name))}</p>
    </>
  )
}

function Foot({ person, scanning }: { person: PersonDetail; scanning: Signal<boolean> }): VNode {
  const w = peopleWords.value
  const turn = () => {
    scanning.value = !scanning.value
  }
  return (
    <>
      <Button
        kind={scanning.value ? 'plain' : 'primary'}
        icon={scanning.value ? 'qr-code' : 'scan-line'}
        onClick={turn}
      >
        {scanning.value ? w.stopScan : w.scan(shortNameOf(person.name))}
      </Button>
      {person.verified ? (
        <Button kind="quiet" onClick={() => setVerified(person.id, false)}>
          {w.unverify}
        </Button>
      ) : (
        <Button kind="quiet" icon="check" onClick={() => markByHand(person)}>
          {w.verifyMark}
        </Button>
      )}
    </>
  )
}

const BotKeys = ({ person }: { person: PersonDetail }): VNode => (
  <Page bar={<VerifyBar person={person} sub={peopleWords.value.botLink} />} align="middle">
    <Avatar id={person.id} name={person.name} bot avatar={person.avatar} size="xl" />
    <PageText>{peopleWords.value.botLinkText}</PageText>
    <code class="verify-text" dir="ltr">
      {person.id}
    </code>
  </Page>
)
