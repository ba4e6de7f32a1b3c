// The account leaves for another device: a code that the other one scans.
import type { VNode } from 'preact'
import { call } from '../link/link.ts'
import { Button } from '../parts/button.tsx'
import { copyText } from '../parts/clipboard.ts'
import { Dialog, DialogText } from '../parts/dialog.tsx'
import { ask, confirm } from '../parts/dialogs.tsx'
import { QrCode } from '../parts/qr-code.tsx'
import { keepWords } from './keep-words.ts'
import '../parts/with-later-icons.ts'

export async function askToMove(): Promise<void> {
  const w = keepWords.value
  const yes = await confirm({ title: w.moveTitle, text: w.moveAsk, yes: w.moveGo, icon: 'smartphone' })
  if (!yes) return
  const { link } = await call('moveOut', {})
  await ask<void>(answer => <MoveDialog link={link} onClose={answer} />)
}

function MoveDialog({ link, onClose }: { link: string; onClose: () => void }): VNode {
  const w = keepWords.value
  return (
    <Dialog title={w.moveCode} onClose={onClose}>
      <QrCode text={link} label={w.moveCode} />
      <DialogText>{w.moveHow}</DialogText>
      <Button kind="plain" autofocus onClick={onClose}>
        {w.moveDone}
      </Button>
      <Button kind="quiet" icon="copy" onClick={() => copyText(link)}>
        {w.moveCopy}
      </Button>
    </Dialog>
  )
}
