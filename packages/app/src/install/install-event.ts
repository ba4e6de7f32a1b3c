// Catches the event by which a browser says that the app can be installed. It comes early, so this is loaded first.
import { signal } from '@preact/signals'

/** Only Chromium has this event, and fires it when the app can be installed and is not. */
type InstallEvent = Event & { prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }> }

export const installEvent = signal<InstallEvent | undefined>(undefined)

/** Without this the browser shows a line of its own. */
export function startInstall(page: EventTarget = globalThis): void {
  page.addEventListener('beforeinstallprompt', event => {
    event.preventDefault()
    installEvent.value = event as InstallEvent
  })
  page.addEventListener('appinstalled', () => {
    installEvent.value = undefined
  })
}
