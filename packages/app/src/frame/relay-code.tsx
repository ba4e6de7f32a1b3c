// The relay accepts new accounts with a code, and this screen asks for it.
import type { ComponentChildren, VNode } from 'preact'
import { call } from '../link/link.ts'
import '../parts/icons/with-lazy-icons.ts'
import { failureWords } from './failure-words.ts'
import { OneFieldForm, refusalOf } from './one-field-form.tsx'

/** `more`: other ways, below the code. */
export function RelayCode({ more }: { more: ComponentChildren }): VNode {
  const w = failureWords.value
  const faultOf = async (code: string): Promise<string | undefined> =>
    code.trim() === '' ? w.codeEmpty : await refusalOf(call('useRelayCode', { code }))
  const { title, text } = w.failures['code-needed']
  return (
    <OneFieldForm
      icon="key-round"
      title={title}
      text={text}
      label={w.code}
      act={w.useCode}
      faultOf={faultOf}
      more={more}
    />
  )
}
