// The service worker: it stores the app for a start without a network. A new one waits for the person's consent.

import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { inBackground } from '../link/background.ts'
import { reloadPage } from '../link/reload.ts'
import { serviceWorkerUrl } from '../link/scripts.ts'

/** Longer than a draft waits to be stored (400 ms after the last key): no tab is reloaded with an unsaved text. */
const DRAFTS_KEPT_MS = 700
const LOOK_AGAIN_MS = 60 * 60_000

const waiting = signal<ServiceWorker | undefined>(undefined)

export const hasNewVersion: ReadonlySignal<boolean> = computed(() => waiting.value !== undefined)

/** The new worker takes over, and every tab is reloaded: none may talk to a core of another build. */
export function restart(): void {
  waiting.value?.postMessage({ kind: 'take-over' })
}

function follow(registration: ServiceWorkerRegistration): void {
  const look = (): void => {
    // The very first worker replaces nothing.
    if (registration.waiting && navigator.serviceWorker.controller) waiting.value = registration.waiting
  }
  look()
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look))
  // Without a network there is no new version, and nothing to report.
  const lookAgain = () => registration.update().catch(() => undefined)
  setInterval(() => inBackground(lookAgain(), 'no look for a new version'), LOOK_AGAIN_MS)
}

export function startUpdates(): void {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return
  const container = navigator.serviceWorker
  const hadOne = container.controller !== null
  container.addEventListener('controllerchange', () => {
    if (hadOne) setTimeout(reloadPage, DRAFTS_KEPT_MS)
  })
  const registered = container.register(serviceWorkerUrl(), { updateViaCache: 'none' }).then(follow)
  inBackground(registered, 'the app is not kept for a start without a network')
}
