// A link that a person gives to others: its code, its text, and the buttons to copy or share it.
import type { VNode } from 'preact'
import { Button, ButtonPair } from '../fields/button.tsx'
import { copyText } from '../fields/clipboard.ts'
import { linkWords } from './link-words.ts'
import { QrCode } from './qr-code.tsx'
import './shared-link.css'
import '../icons/with-lazy-icons.ts'

const canShare = (url: string): boolean => 'canShare' in navigator && navigator.canShare({ url })

async function share(url: string): Promise<void> {
  try {
    await navigator.share({ url })
  } catch (error) {
    // Closed without a choice: nothing is wrong.
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
  }
}

export const SharedLink = ({ url, label }: { url: string; label: string }): VNode => (
  <>
    <QrCode text={url} label={label} />
    <code class="shared-link" dir="ltr">
      {url}
    </code>
  </>
)

export function ShareButtons({ url }: { url: string }): VNode {
  const w = linkWords.value
  if (!canShare(url))
    return (
      <Button icon="copy" onClick={() => copyText(url)}>
        {w.copy}
      </Button>
    )
  return (
    <ButtonPair>
      <Button kind="plain" icon="copy" onClick={() => copyText(url)}>
        {w.copy}
      </Button>
      <Button icon="share-2" onClick={() => share(url)}>
        {w.share}
      </Button>
    </ButtonPair>
  )
}
