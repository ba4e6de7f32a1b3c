// The button next to the field: photos, files, a poll.
import type { VNode } from 'preact'
import { begin } from '../parts/attempt.ts'
import { IconButton } from '../parts/icons/icon-button.tsx'
import { lazyImport } from '../parts/lazy-import.ts'
import { openMenu } from '../parts/menus/menus.tsx'
import { pickFiles } from './pick-files.ts'
import type { Destination } from './send-files.tsx'
import { attachingWords } from './words.ts'

const newPoll = lazyImport(() => import('./new-poll.tsx'))
const sending = lazyImport(() => import('./send-files.tsx'))

/** The browser opens a file dialog only in response to a click: before anything is fetched. */
const pickAndSend = async (to: Destination, accept?: string): Promise<'sent' | 'kept'> => {
  const files = await pickFiles(accept)
  const { sendFiles } = await sending()
  return await sendFiles(to, files)
}

const askPoll = async (to: Destination): Promise<'sent' | 'kept'> => {
  const { sendNewPoll } = await newPoll()
  return await sendNewPoll(to)
}

/** `to` is called when something is chosen: a reply may have been started since the button was drawn. */
type AttachButtonProps = { to: () => Destination; onSent: () => void }

export function AttachButton({ to, onSent }: AttachButtonProps): VNode {
  const w = attachingWords.value
  const tell = async (sending: Promise<'sent' | 'kept'>): Promise<void> => {
    if ((await sending) === 'sent') onSent()
  }
  const open = (at: HTMLElement) =>
    openMenu({
      label: w.attach,
      at,
      items: [
        { word: w.photoOrVideo, icon: 'image', run: () => begin(tell(pickAndSend(to(), 'image/*,video/*'))) },
        { word: w.file, icon: 'file', run: () => begin(tell(pickAndSend(to()))) },
        { word: w.poll, icon: 'chart-no-axes-column', run: () => begin(tell(askPoll(to()))) },
      ],
    })
  return <IconButton icon="paperclip" label={w.attach} onClick={open} />
}
