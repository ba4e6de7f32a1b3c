// Restores an account from a file and the six words that lock it.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { call } from '../link/link.ts'
import { attempt } from '../parts/attempt.ts'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { partsWords } from '../parts/words.ts'
import { askAgain } from './arrival.ts'
import './onboarding.css'
import { RECOVERY_WORDS, wordsIn } from './recovery-words.ts'
import { onboardingWords } from './words.ts'

export function Restore({ onBack }: { onBack: () => void }): VNode {
  const w = onboardingWords.value
  const file = useSignal<File | undefined>(undefined)
  const text = useSignal('')
  const words = wordsIn(text.value)
  const restore = async (): Promise<void> => {
    if (!file.value) return
    askAgain()
    const done = await attempt(call('restore', { file: file.value, words }))
    if (done) showToast({ kind: 'note', text: done.value.kind === 'backup' ? w.restoredAll : w.restored })
  }
  return (
    <Page
      title={w.restoreTitle}
      onBack={onBack}
      foot={
        <Button
          disabled={!file.value || words.length !== RECOVERY_WORDS}
          whileBusy={partsWords.value.someSeconds}
          onClick={restore}
        >
          {w.restore}
        </Button>
      }
    >
      <PageText>{w.restoreText}</PageText>
      <FileChoice
        file={file.value}
        choose={chosen => {
          file.value = chosen
        }}
      />
      <TextField
        label={w.wordsLabel}
        lines="several"
        value={text.value}
        onInput={value => void (text.value = value)}
        hint={words.length === 0 ? w.wordsHint : w.wordsCount(words.length)}
      />
    </Page>
  )
}

function FileChoice({ file, choose }: { file: File | undefined; choose: (file: File) => void }): VNode {
  const w = onboardingWords.value
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        onChange={event => {
          const [chosen] = event.currentTarget.files ?? []
          if (chosen) choose(chosen)
        }}
      />
      {file && (
        <p class="onboarding-file">
          <NameText name={file.name} />
        </p>
      )}
      <Button kind="plain" icon="file-key" onClick={() => input.current?.click()}>
        {file ? w.otherFile : w.chooseFile}
      </Button>
    </>
  )
}
