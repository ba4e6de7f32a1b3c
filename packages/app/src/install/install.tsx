// Offers to install the app: once in a line above everything, and always in the settings.
import type { VNode } from 'preact'
import { call, useView } from '../link/link.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Dialog, DialogText } from '../parts/dialogs/dialog.tsx'
import { ask, confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Option } from '../parts/menus/option.tsx'
import { Strip } from '../parts/strip.tsx'
import { install, installWay } from './install-way.ts'
import { installWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

/** Only where the browser can be asked: on an iPhone the offer of notifications already explains the home screen. */
export function InstallLine(): VNode | null {
  const w = installWords.value
  const isWanted = useView('settings').value?.offerInstall
  if (!isWanted || installWay.value !== 'question') return null
  return (
    <Strip icon="download" tone="plain" action={{ word: w.offerAct, run: () => begin(offer()) }}>
      {w.offer}
    </Strip>
  )
}

/** "Not now" is for good: the settings still have it. */
async function offer(): Promise<void> {
  const { title, text, install: yes, notNow: no } = installWords.value
  const wants = await confirm({ title, text, yes, no, icon: 'download' })
  // First, because browsers ask only shortly after a press.
  if (wants) await install()
  await attempt(call('setSettings', { offerInstall: false }))
}

export function InstallOption(): VNode | null {
  const w = installWords.value
  const way = installWay.value
  if (!way) return null
  const open = () => begin(way === 'question' ? install() : explainHomeScreen())
  return <Option icon="download" title={w.option} text={w.optionText} onClick={open} />
}

async function explainHomeScreen(): Promise<void> {
  const w = installWords.value
  await ask<void>(answer => (
    <Dialog title={w.homeTitle} icon="download" onClose={answer}>
      <DialogText>{w.homeText}</DialogText>
      <Button autofocus onClick={() => answer()}>
        {w.ok}
      </Button>
    </Dialog>
  ))
}
