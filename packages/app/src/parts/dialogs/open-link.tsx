// Asks before a bot's button or a link with other words opens an external page: the full address, the host in bold.
import type { VNode } from 'preact'
import { attempt } from '../attempt.ts'
import { Button, ButtonPair } from '../fields/button.tsx'
import { copyText } from '../fields/clipboard.ts'
import { addressOf } from '../text/link-detection.ts'
import { Dialog, DialogText } from './dialog.tsx'
import { ask } from './dialogs.tsx'
import './open-link.css'
import { showToast } from '../toasts/toast-list.ts'
import { partsWords } from '../words.ts'
import { openLinkWords } from './open-link-words.ts'

type LinkChoice = 'open' | 'copy' | 'cancel'

/** `from`: the name of the requesting bot, for its button. */
export async function openLink({ url, from }: { url: string; from?: string }): Promise<void> {
  const address = addressOf(url)
  if (!address) return showToast({ kind: 'error', text: openLinkWords.value.badLink })
  const choice = await ask<LinkChoice>(answer => <LinkDialog {...address} from={from} answer={answer} />)
  if (choice === 'open') window.open(address.url, '_blank', 'noopener,noreferrer')
  if (choice === 'copy') await attempt(copyText(address.url))
}

type LinkDialogProps = { url: string; host: string; from: string | undefined; answer: (choice: LinkChoice) => void }

function LinkDialog({ url, host, from, answer }: LinkDialogProps): VNode {
  const w = openLinkWords.value
  const start = url.indexOf('//') + 2
  return (
    <Dialog title={w.openLink} onClose={() => answer('cancel')}>
      <DialogText>
        {from === undefined ? (
          w.leadsTo
        ) : (
          <>
            {w.theBot}{' '}
            <b class="open-link-from" dir="auto">
              {from}
            </b>{' '}
            {w.wantsToOpen}
          </>
        )}
      </DialogText>
      {/* Reached by Tab: a long address is scrolled to its end before it is opened. */}
      <div class="open-link-address" dir="ltr" tabIndex={0}>
        {url.slice(0, start)}
        <b class="open-link-host">{host}</b>
        {url.slice(start + host.length)}
      </div>
      <ButtonPair>
        <Button kind="plain" autofocus onClick={() => answer('cancel')}>
          {partsWords.value.cancel}
        </Button>
        <Button onClick={() => answer('open')}>{w.open}</Button>
      </ButtonPair>
      <Button kind="quiet" icon="copy" onClick={() => answer('copy')}>
        {w.copyAddress}
      </Button>
    </Dialog>
  )
}
