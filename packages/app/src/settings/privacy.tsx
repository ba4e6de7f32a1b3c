// The settings for facts about the owner that this device tells others, and for the app lock.
import type { VNode } from 'preact'
import { defaultSettings } from '../contract/settings.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Switch } from '../parts/fields/switch.tsx'
import { OptionGroup } from '../parts/menus/option.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { AppLockSection } from './app-lock.tsx'
import { settingsWords } from './words.ts'

export function Privacy(): VNode {
  const w = settingsWords.value
  const { readReceipts, typing, lockAfter } = useView('settings').value ?? defaultSettings
  return (
    <Page title={w.privacy}>
      <OptionGroup>
        <Switch
          label={w.readReceipts}
          hint={w.readReceiptsHint}
          on={readReceipts}
          onChange={on => begin(call('setSettings', { readReceipts: on }))}
        />
      </OptionGroup>
      <PageText>{w.readReceiptsText}</PageText>
      <OptionGroup>
        <Switch
          label={w.typing}
          hint={w.typingHint}
          on={typing}
          onChange={on => begin(call('setSettings', { typing: on }))}
        />
      </OptionGroup>
      <AppLockSection lockAfter={lockAfter} />
    </Page>
  )
}
