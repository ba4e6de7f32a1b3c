// How this browser installs the app: by a question of its own that the app may ask for once, or by hand.
import { computed, type ReadonlySignal } from '@preact/signals'
import { isAppleMobile } from '../push/push-support.ts'
import { installEvent } from './install-event.ts'

/** `home-screen`: on an iPhone or iPad the person does it, in Safari's own menu. */
export type InstallWay = 'question' | 'home-screen'

export const installWay: ReadonlySignal<InstallWay | undefined> = computed(() => {
  if (installEvent.value) return 'question'
  const { navigator } = globalThis as { navigator: Navigator & { standalone?: boolean } }
  return isAppleMobile(navigator) && navigator.standalone !== true ? 'home-screen' : undefined
})

/** The browser asks, and answers one such request only. */
export async function install(): Promise<void> {
  const asked = installEvent.value
  installEvent.value = undefined
  await asked?.prompt()
}
