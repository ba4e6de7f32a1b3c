// Whether this browser can show notifications, and whether the person has allowed it.

/**
 * `home-screen`: on an iPhone or iPad only an app on the home screen can. `no-push`: only while a page is open, as in
 * browsers without a push service.
 */
export type PushSupport = 'granted' | 'unasked' | 'denied' | 'home-screen' | 'no-push' | 'missing'

type Browser = {
  Notification?: { permission: NotificationPermission }
  PushManager?: unknown
  navigator: { userAgent: string; maxTouchPoints: number; serviceWorker?: unknown; standalone?: boolean }
}

/** An iPad calls itself a Mac, but no Mac has a touch screen. */
export const isAppleMobile = ({ userAgent, maxTouchPoints }: Browser['navigator']): boolean =>
  /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && maxTouchPoints > 1)

export function pushSupportOf({ Notification, PushManager, navigator }: Browser): PushSupport {
  if (isAppleMobile(navigator) && navigator.standalone !== true) return 'home-screen'
  if (!Notification) return 'missing'
  if (Notification.permission === 'denied') return 'denied'
  if (PushManager === undefined || navigator.serviceWorker === undefined) return 'no-push'
  return Notification.permission === 'granted' ? 'granted' : 'unasked'
}
