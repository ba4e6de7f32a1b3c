// The settings for notifications. A button asks for the browser's permission, never the app automatically.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { defaultSettings, type Settings } from '../contract/settings.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Button } from '../parts/fields/button.tsx'
import { Switch } from '../parts/fields/switch.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { RadioList } from '../parts/menus/radio-list.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { playTone } from '../parts/toasts/tone.ts'
import { settingsWords } from './words.ts'

type Permission = NotificationPermission | 'missing'

const permissionNow = (): Permission => ('Notification' in globalThis ? Notification.permission : 'missing')

/** Like a new message, with its tone. By the service worker if there is one: Android shows no other. */
async function showTest({ sound }: Settings): Promise<void> {
  if (sound) playTone()
  const { testTitle, testText } = settingsWords.value
  const registration = await navigator.serviceWorker?.getRegistration()
  const options = { body: testText, tag: 'test', icon: '/icon-192.png' }
  if (registration?.active) return registration.showNotification(testTitle, options)
  const shown = new Notification(testTitle, options)
  shown.addEventListener('click', () => shown.close())
}

const change = (settings: Partial<Settings>): void => begin(call('setSettings', settings))

export function Notifications(): VNode {
  const w = settingsWords.value
  const settings = useView('settings').value ?? defaultSettings
  return (
    <Page title={w.notifications}>
      <PermissionRow settings={settings} />
      <RadioList
        legend={w.notifyTells}
        value={settings.notify}
        choices={[
          { value: 'words', word: w.notifyWords, hint: w.notifyWordsHint },
          { value: 'name', word: w.notifyName },
          { value: 'nothing', word: w.notifyNothing, hint: w.notifyNothingHint },
        ]}
        onChange={notify => change({ notify })}
      />
      <OptionGroup>
        <Switch label={w.sound} hint={w.soundHint} on={settings.sound} onChange={sound => change({ sound })} />
      </OptionGroup>
      <PageText>{w.notifyOpen}</PageText>
    </Page>
  )
}

function PermissionRow({ settings }: { settings: Settings }): VNode {
  const w = settingsWords.value
  const permission = useSignal(permissionNow())
  const ask = async (): Promise<void> => {
    permission.value = await Notification.requestPermission()
  }
  return (
    <>
      <Option
        icon={permission.value === 'granted' ? 'bell' : 'bell-off'}
        title={w.browserMay}
        text={w.permission[permission.value]}
        aside={permission.value === 'granted' ? w.on : undefined}
      />
      {permission.value === 'default' && <Button onClick={ask}>{w.allow}</Button>}
      {permission.value === 'granted' && (
        <Button kind="plain" onClick={() => showTest(settings)}>
          {w.test}
        </Button>
      )}
    </>
  )
}
