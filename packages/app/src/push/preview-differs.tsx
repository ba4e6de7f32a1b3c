// Tells the person that a notification has shown other words than its message. It stays until it is closed.
import { Dialog, DialogText } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { go } from '../router.ts'
import { pushWords } from './words.ts'

type Difference = { chat: string; message: string; from: string; text: string }

export async function tellDifference({ chat, message, from, text }: Difference): Promise<void> {
  const w = pushWords.value
  const isOpened = await ask<boolean>(answer => (
    <Dialog title={w.differsTitle} icon="triangle-alert" tone="warn" onClose={() => answer(false)}>
      <DialogText>{w.differsText(from, text)}</DialogText>
      <ButtonPair>
        <Button kind="plain" autofocus onClick={() => answer(false)}>
          {w.close}
        </Button>
        <Button onClick={() => answer(true)}>{w.openChat}</Button>
      </ButtonPair>
    </Dialog>
  ))
  if (isOpened) go({ screen: 'chat', chat, message })
}
