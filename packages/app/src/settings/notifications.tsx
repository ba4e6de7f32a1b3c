// The settings for notifications. A choice asks for the browser's permission, never the app automatically.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { defaultSettings, type Settings } from '../contract/settings.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Button } from '../parts/fields/button.tsx'
import { Switch } from '../parts/fields/switch.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { playTone } from '../parts/toasts/tone.ts'
import { allowNotifications } from '../push/allow.ts'
import { Levels } from '../push/levels.tsx'
import { type PushSupport, pushSupportOf } from '../push/push-support.ts'
import { pushWords } from '../push/words.ts'
import { settingsWords } from './words.ts'

/** Like a new message, with its tone. By the service worker if there is one: Android shows no other. */
async function showTest({ sound }: Settings): Promise<void> {
  if (sound) playTone()
  const { testTitle, testText } = settingsWords.value
  const registration = await navigator.serviceWorker?.getRegistration()
  const options = { body: testText, tag: 'test', icon: '/icon-192.png', silent: !sound }
  if (registration?.active) return registration.showNotification(testTitle, options)
  const shown = new Notification(testTitle, options)
  shown.addEventListener('click', () => shown.close())
}

const change = (settings: Partial<Settings>): void => begin(call('setSettings', settings))

export function Notifications(): VNode {
  const w = pushWords.value
  const settings = useView('settings').value ?? defaultSettings
  const support = useSignal(pushSupportOf(globalThis))
  const allow = async (): Promise<void> => {
    await allowNotifications()
    support.value = pushSupportOf(globalThis)
  }
  const choose = (notify: Settings['notify']): void => {
    // A person who chooses here needs no offer any more.
    change({ notify, offerNotifications: false })
    if (notify !== 'off' && support.value === 'unasked') begin(allow())
  }
  return (
    <Page title={settingsWords.value.notifications}>
      <StateRow notify={settings.notify} support={support.value} />
      {support.value === 'unasked' && settings.notify !== 'off' && <Button onClick={allow}>{w.allow}</Button>}
      {support.value === 'granted' && settings.notify !== 'off' && (
        <Button kind="plain" onClick={() => showTest(settings)}>
          {w.test}
        </Button>
      )}
      <Levels value={settings.notify} hasOff onChange={choose} />
      <OptionGroup>
        <Switch label={w.sound} hint={w.soundHint} on={settings.sound} onChange={sound => change({ sound })} />
        <Switch
          label={w.vibrate}
          hint={w.vibrateHint}
          on={settings.vibrate}
          onChange={vibrate => change({ vibrate })}
        />
      </OptionGroup>
      {support.value === 'home-screen' && <PageText>{w.homeText}</PageText>}
    </Page>
  )
}

function StateRow({ notify, support }: { notify: Settings['notify']; support: PushSupport }): VNode {
  const w = pushWords.value
  const state = useView('push').value ?? 'unknown'
  const isOff = notify === 'off'
  const isOn = !isOff && support === 'granted' && state === 'on'
  const text = (): string => {
    if (isOff) return w.state.off
    if (support === 'granted') return w.state[state]
    return support === 'home-screen' ? w.homeTitle : w.lack[support]
  }
  return <Option icon={isOn ? 'bell' : 'bell-off'} title={w.permission} text={text()} aside={isOn ? w.on : undefined} />
}
