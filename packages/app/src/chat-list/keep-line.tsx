// The quiet line above the chats: the account exists nowhere else.
import type { VNode } from 'preact'
import { inLanguages } from '../i18n/language.ts'
import { useView } from '../link/link.ts'
import { Strip } from '../parts/strip.tsx'
import { nowMs } from '../parts/text/time-text.tsx'
import { go } from '../router.ts'
import { needsKeeping } from './keep-reminder.ts'

const keepWords = inLanguages({
  en: { text: 'Your account exists only in this browser.', act: 'Keep it safe' },
  ru: { text: 'Ваш аккаунт есть только в этом браузере.', act: 'Сохранить' },
})

export function KeepLine(): VNode | null {
  const keeping = useView('keeping')
  if (!keeping.value || !needsKeeping(keeping.value, nowMs.value)) return null
  const w = keepWords.value
  return (
    <Strip
      icon="file-key"
      tone="plain"
      action={{ word: w.act, run: () => go({ screen: 'settings', part: 'keep-account' }) }}
    >
      {w.text}
    </Strip>
  )
}
