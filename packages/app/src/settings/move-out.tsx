// The account moves to another device: a code that the other one scans, or that is typed there. It works while it is shown.
import type { VNode } from 'preact'
import { call } from '../link/link.ts'
import { relayHost } from '../link/relay-url.ts'
import { Dialog, DialogText } from '../parts/dialogs/dialog.tsx'
import { ask, confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { copyText } from '../parts/fields/clipboard.ts'
import { QrCode } from '../parts/qr/qr-code.tsx'
import { keepWords } from './keep-words.ts'
import './move-out.css'
import '../parts/icons/with-lazy-icons.ts'

export async function askToMove(): Promise<void> {
  const w = keepWords.value
  const yes = await confirm({ title: w.moveTitle, text: w.moveAsk, yes: w.moveGo, icon: 'smartphone' })
  if (!yes) return
  const { code } = await call('moveOut', {})
  await ask<void>(answer => <MoveDialog code={code} onClose={answer} />)
  await call('cancelMove', {})
}

function MoveDialog({ code, onClose }: { code: string; onClose: () => void }): VNode {
  const w = keepWords.value
  return (
    <Dialog title={w.moveShown} onClose={onClose}>
      {/* As it is scanned: not an address, which a camera would open and a browser would remember. */}
      <QrCode text={code} label={w.moveShown} />
      <code class="move-out-code" dir="ltr">
        {code}
      </code>
      <DialogText>{w.moveHow(relayHost())}</DialogText>
      <Button kind="plain" autofocus onClick={onClose}>
        {w.moveCancel}
      </Button>
      <Button kind="quiet" icon="copy" onClick={() => copyText(code)}>
        {w.moveCopy}
      </Button>
    </Dialog>
  )
}
