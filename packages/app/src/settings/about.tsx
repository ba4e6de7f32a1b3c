// About this app and its account, and how to remove the account.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { BUILD } from '../contract/build.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Dialog, DialogText } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { copyText } from '../parts/fields/clipboard.ts'
import { TextField } from '../parts/fields/text-field.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { isRemovalMeant } from './removal.ts'
import { settingsWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

export function AboutApp(): VNode {
  const w = settingsWords.value
  const me = useView('me').value
  return (
    <Page title={w.about}>
      <PageText>{w.aboutText}</PageText>
      <OptionGroup>
        <Option icon="hash" title={w.build} text={BUILD} />
        <Option icon="door-open" title={w.relay} text={location.host} />
        <Option
          icon="user"
          title={w.accountId}
          text={me?.id}
          aside={w.copy}
          onClick={() => begin(copyText(me?.id ?? ''))}
        />
      </OptionGroup>
      <PageText>{w.accountIdText}</PageText>
      <Option icon="file" leads="next" title={w.licences} text={w.licencesText} onClick={openLicences} />
      <Option icon="trash" danger title={w.remove} text={w.removeHint} onClick={() => begin(removeAccount())} />
    </Page>
  )
}

const openLicences = (): void => void window.open('/licences.txt', '_blank', 'noopener,noreferrer')

async function removeAccount(): Promise<void> {
  if (!(await ask<boolean>(answer => <RemoveDialog answer={answer} />))) return
  try {
    await call('deleteAccount', {})
  } catch {
    // A relay that is gone permanently must not keep anybody from leaving.
    if (await ask<boolean>(answer => <RemoveHereDialog answer={answer} />)) await call('removeAccount', {})
  }
}

function RemoveHereDialog({ answer }: { answer: (yes: boolean) => void }): VNode {
  const w = settingsWords.value
  return (
    <Dialog title={w.removeHereTitle} icon="triangle-alert" tone="danger" onClose={() => answer(false)}>
      <DialogText>{w.removeHereText}</DialogText>
      <ButtonPair>
        <Button kind="plain" autofocus onClick={() => answer(false)}>
          {w.cancel}
        </Button>
        <Button kind="danger" onClick={() => answer(true)}>
          {w.removeHere}
        </Button>
      </ButtonPair>
    </Dialog>
  )
}

function RemoveDialog({ answer }: { answer: (yes: boolean) => void }): VNode {
  const w = settingsWords.value
  const typed = useSignal('')
  return (
    <Dialog title={w.removeTitle} icon="triangle-alert" tone="danger" onClose={() => answer(false)}>
      <DialogText>{w.removeText}</DialogText>
      <TextField label={w.removeType(w.removeWord)} value={typed.value} onInput={value => void (typed.value = value)} />
      <ButtonPair>
        <Button kind="plain" autofocus onClick={() => answer(false)}>
          {w.cancel}
        </Button>
        <Button kind="danger" disabled={!isRemovalMeant(typed.value)} onClick={() => answer(true)}>
          {w.remove}
        </Button>
      </ButtonPair>
    </Dialog>
  )
}
