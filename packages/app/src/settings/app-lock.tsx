// The settings of the app lock: its passphrase, and when it is asked for.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Settings } from '../contract/settings.ts'
import { call, useView } from '../link/link.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { RadioList } from '../parts/menus/radio-list.tsx'
import { PageText } from '../parts/page.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { partsWords } from '../parts/words.ts'
import { appLockWords } from './app-lock-words.ts'
import '../parts/icons/with-lazy-icons.ts'

type LockAction = 'set' | 'change' | 'remove'

const afters = ['1', '5', '15', '60', 'never'] as const

const open = (action: LockAction) => () => begin(ask<void>(done => <LockDialog action={action} done={done} />))

export function AppLockSection({ lockAfter }: Pick<Settings, 'lockAfter'>): VNode {
  const w = appLockWords.value
  const isSet = useView('lock').value?.isSet ?? false
  return (
    <>
      <OptionGroup>
        {isSet ? (
          <>
            <Option icon="lock" title={w.lock} text={w.lockOn} aside={w.on} />
            <Option icon="key-round" title={w.change} leads="next" onClick={open('change')} />
            <Option icon="log-out" title={w.lockNow} onClick={() => begin(call('lockNow', {}))} />
            <Option icon="x" title={w.turnOff} onClick={open('remove')} />
          </>
        ) : (
          <Option icon="lock" title={w.lock} text={w.lockOff} aside={w.off} leads="next" onClick={open('set')} />
        )}
      </OptionGroup>
      {isSet && (
        <RadioList
          legend={w.after}
          value={lockAfter}
          choices={afters.map(value => ({ value, word: w.afters[value] }))}
          onChange={value => begin(call('setSettings', { lockAfter: value }))}
        />
      )}
      <PageText>{w.lockText}</PageText>
    </>
  )
}

function LockDialog({ action, done }: { action: LockAction; done: () => void }): VNode {
  const w = appLockWords.value
  const [current, fresh, again] = [useSignal(''), useSignal(''), useSignal('')]
  const isSame = fresh.value === again.value
  const isReady = (action === 'set' || current.value !== '') && (action === 'remove' || (fresh.value !== '' && isSame))
  const change = async (): Promise<void> => {
    const asked = {
      ...(action !== 'set' && { current: current.value }),
      ...(action !== 'remove' && { passphrase: fresh.value }),
    }
    if (!(await attempt(call('setLock', asked)))) return
    showToast({ kind: 'note', text: action === 'remove' ? w.removed : w.saved })
    done()
  }
  const field = (
    label: string,
    value: typeof fresh,
    note: { hint?: string; fault?: string | undefined } = {},
  ): VNode => (
    <TextField label={label} lines="secret" value={value.value} onInput={text => void (value.value = text)} {...note} />
  )
  return (
    <Dialog title={{ set: w.lock, change: w.change, remove: w.turnOff }[action]} icon="lock" onClose={done}>
      {action !== 'set' && field(w.current, current)}
      {action !== 'remove' && field(w.passphrase, fresh, { hint: w.hint })}
      {action !== 'remove' && field(w.again, again, { fault: again.value !== '' && !isSame ? w.different : undefined })}
      <ButtonPair>
        <Button kind="plain" onClick={done}>
          {w.cancel}
        </Button>
        <Button disabled={!isReady} whileBusy={partsWords.value.someSeconds} onClick={change}>
          {{ set: w.save, change: w.saveNew, remove: w.turnOff }[action]}
        </Button>
      </ButtonPair>
    </Dialog>
  )
}
