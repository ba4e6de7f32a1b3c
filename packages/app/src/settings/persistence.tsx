// Whether the browser has promised to keep this app's data, and the request for that promise.
import type { VNode } from 'preact'
import type { BackupState } from '../contract/settings.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Option } from '../parts/menus/option.tsx'
import { showToast } from '../parts/toasts/toast-list.ts'
import { keepWords } from './keep-words.ts'
import '../parts/icons/with-lazy-icons.ts'

/** Only a page may ask the browser, and only the worker knows the result. */
async function askToPersist(): Promise<void> {
  const promised = (await navigator.storage?.persist?.()) ?? false
  const { persisted } = await call('askToPersist', {})
  if (!promised && !persisted) showToast({ kind: 'error', text: keepWords.value.persistRefused })
}

export function Persistence({ keeping }: { keeping: BackupState }): VNode {
  const w = keepWords.value
  return keeping.persisted ? (
    <Option icon="shield-check" title={w.persisted} text={w.persistedOn} aside={w.on} />
  ) : (
    <Option
      icon="shield-alert"
      title={w.persisted}
      text={w.persistedOff}
      aside={w.off}
      onClick={() => begin(askToPersist())}
    />
  )
}
