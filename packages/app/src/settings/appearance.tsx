// The look of the app and its keys, on this device.
import type { VNode } from 'preact'
import { defaultSettings, type Settings } from '../contract/settings.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Switch } from '../parts/fields/switch.tsx'
import { OptionGroup } from '../parts/menus/option.tsx'
import { RadioList } from '../parts/menus/radio-list.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { settingsWords } from './words.ts'

const change = (settings: Partial<Settings>): void => begin(call('setSettings', settings))

export function Appearance(): VNode {
  const w = settingsWords.value
  const settings = useView('settings').value ?? defaultSettings
  return (
    <Page title={w.appearance}>
      <RadioList
        legend={w.scheme}
        value={settings.scheme}
        choices={[
          { value: 'auto', word: w.schemeAuto },
          { value: 'light', word: w.schemeLight },
          { value: 'dark', word: w.schemeDark },
        ]}
        onChange={scheme => change({ scheme })}
      />
      <RadioList
        legend={w.language}
        value={settings.language}
        choices={[
          { value: 'auto', word: w.languageAuto },
          { value: 'en', word: 'English' },
          { value: 'ru', word: 'Русский' },
        ]}
        onChange={language => change({ language })}
      />
      <OptionGroup>
        <Switch
          label={w.enterSends}
          hint={settings.enterSends ? w.enterSendsOn : w.enterSendsOff}
          on={settings.enterSends}
          onChange={enterSends => change({ enterSends })}
        />
      </OptionGroup>
      <PageText>{w.textSize}</PageText>
    </Page>
  )
}
