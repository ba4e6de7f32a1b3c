// Dialogs that code opens and awaits: `if (await confirm({ … })) …`.
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { Button, ButtonPair } from '../fields/button.tsx'
import type { IconName } from '../icons/icon.tsx'
import { partsWords } from '../words.ts'
import { Dialog, DialogText, type DialogTone } from './dialog.tsx'

type Asked = { id: number; draw: () => VNode }

const asked = signal<Asked[]>([])
let lastId = 0

/** Shows the result of `draw` until it calls `answer`. */
export function ask<Answer>(draw: (answer: (value: Answer) => void) => VNode): Promise<Answer> {
  return new Promise(resolve => {
    const id = ++lastId
    const answer = (value: Answer) => {
      asked.value = asked.value.filter(other => other.id !== id)
      resolve(value)
    }
    asked.value = [...asked.value, { id, draw: () => draw(answer) }]
  })
}

/** The place of dialogs: once, at the root of the app. */
export const Dialogs = (): VNode => (
  <>
    {asked.value.map(({ id, draw }) => (
      <AskedDialog key={id} draw={draw} />
    ))}
  </>
)

const AskedDialog = ({ draw }: { draw: () => VNode }): VNode => draw()

export type DialogQuestion = {
  title: string
  text?: string
  yes: string
  no?: string
  tone?: DialogTone
  icon?: IconName
}

/** False when it is closed without an answer. The focus is on the harmless button. */
export const confirm = ({ title, text, yes, no, tone = 'plain', icon }: DialogQuestion): Promise<boolean> =>
  ask(answer => (
    <Dialog title={title} icon={icon} tone={tone} onClose={() => answer(false)}>
      {text && <DialogText>{text}</DialogText>}
      <ButtonPair>
        <Button kind="plain" autofocus onClick={() => answer(false)}>
          {no ?? partsWords.value.cancel}
        </Button>
        <Button kind={tone === 'danger' ? 'danger' : 'primary'} onClick={() => answer(true)}>
          {yes}
        </Button>
      </ButtonPair>
    </Dialog>
  ))
