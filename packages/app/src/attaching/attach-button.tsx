// The button beside the field: photos, files, a poll.
import type { VNode } from 'preact'
import { begin } from '../parts/attempt.ts'
import { IconButton } from '../parts/icon-button.tsx'
import { later } from '../parts/later.ts'
import { openMenu } from '../parts/menus.tsx'
import { pickFiles } from './pick-files.ts'
import type { Destination } from './send-files.tsx'
import { attachingWords } from './words.ts'

const newPoll = later(() => import('./new-poll.tsx'))
const sending = later(() => import('./send-files.tsx'))

/** The browser asks for files only in answer to a click: before anything is fetched. */
const pickAndSend = async (to: Destination, accept?: string): Promise<void> => {
  const files = await pickFiles(accept)
  const { sendFiles } = await sending()
  await sendFiles(to, files)
}

const askPoll = async (to: Destination): Promise<void> => {
  const { sendNewPoll } = await newPoll()
  await sendNewPoll(to)
}

export function AttachButton({ to }: { to: Destination }): VNode {
  const w = attachingWords.value
  const open = (at: HTMLElement) =>
    openMenu({
      label: w.attach,
      at,
      items: [
        { word: w.photoOrVideo, icon: 'image', run: () => begin(pickAndSend(to, 'image/*,video/*')) },
        { word: w.file, icon: 'file', run: () => begin(pickAndSend(to)) },
        { word: w.poll, icon: 'chart-no-axes-column', run: () => begin(askPoll(to)) },
      ],
    })
  return <IconButton icon="paperclip" label={w.attach} onClick={open} />
}
