// A new name for a group.
import { contentLimits, nameFault } from '@postern/protocol'
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ChatDetail } from '../contract/objects.ts'
import { call } from '../link/link.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { groupWords } from './words.ts'

export async function renameGroup({ id, name }: ChatDetail): Promise<void> {
  const chosen = await ask<string | undefined>(answer => <RenameDialog name={name} onAnswer={answer} />)
  if (chosen !== undefined && chosen !== name) await call('renameGroup', { chat: id, name: chosen })
}

function RenameDialog({ name, onAnswer }: { name: string; onAnswer: (name: string | undefined) => void }): VNode {
  const text = useSignal(name)
  const chosen = text.value.trim()
  const w = groupWords.value
  return (
    <Dialog title={w.rename} onClose={() => onAnswer(undefined)}>
      <TextField
        label={w.name}
        value={text.value}
        maxLength={contentLimits.groupNameCharsMax}
        autofocus
        onInput={value => void (text.value = value)}
      />
      <ButtonPair>
        <Button kind="plain" onClick={() => onAnswer(undefined)}>
          {w.cancel}
        </Button>
        <Button
          disabled={nameFault(chosen, contentLimits.groupNameCharsMax) !== undefined}
          onClick={() => onAnswer(chosen)}
        >
          {w.save}
        </Button>
      </ButtonPair>
    </Dialog>
  )
}
