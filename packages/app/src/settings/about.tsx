// About this app and its account, and how to remove the account.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { type AppHash, hashApp } from '../contract/app-hash.ts'
import { BUILD } from '../contract/build.ts'
import { CallError } from '../contract/calls.ts'
import { call, useView } from '../link/link.ts'
import { relayHost } from '../link/relay-url.ts'
import { attempt, begin } from '../parts/attempt.ts'
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
        <FilesHash />
        <Option icon="door-open" title={w.relay} text={relayHost()} />
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

/** Computed when somebody wants it: it reads every file of the app. */
function FilesHash(): VNode {
  const w = settingsWords.value
  const state = useSignal<'unknown' | 'busy' | 'newer' | { hash: string }>('unknown')
  const compute = async (): Promise<void> => {
    state.value = 'busy'
    const done = await attempt(servedHash())
    // A newer version waits at the server: its list is not that of the files that run here.
    if (!done) state.value = 'unknown'
    else state.value = done.value.build === BUILD ? { hash: done.value.hash } : 'newer'
  }
  const now = state.value
  if (typeof now === 'object')
    return (
      <Option
        icon="hash"
        title={w.filesHash}
        text={now.hash}
        aside={w.copy}
        onClick={() => begin(copyText(now.hash))}
      />
    )
  const text = { unknown: w.filesHashText, busy: w.filesHashBusy, newer: w.filesHashNewer }[now]
  return <Option icon="hash" title={w.filesHash} text={text} onClick={() => begin(compute())} />
}

/** As the page was served: through the service worker, where that has them. */
async function servedHash(): Promise<AppHash> {
  return await hashApp(async name => {
    const answer = await fetch(name === 'index.html' ? '/' : `/${name}`).catch((): undefined => undefined)
    if (!answer?.ok) throw new CallError({ code: 'relay-unreachable', message: name })
    return new Uint8Array(await answer.arrayBuffer())
  })
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
