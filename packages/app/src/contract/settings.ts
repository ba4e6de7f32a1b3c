// What a person has set for the app on this device.
export type Settings = {
  language: 'auto' | 'en' | 'ru'
  scheme: 'auto' | 'light' | 'dark'
  /** What a notification tells. */
  notify: 'nothing' | 'name' | 'words'
  sound: boolean
  /** Enter sends, else Ctrl+Enter does. */
  enterSends: boolean
}

export const defaultSettings: Settings = {
  language: 'auto',
  scheme: 'auto',
  notify: 'name',
  sound: true,
  enterSends: true,
}

/** How the account is kept from being lost. */
export type Keeping = {
  /** Whether the browser promised not to clear the storage; undefined when it cannot say. */
  persisted: boolean
  recoverySavedMs?: number
  /** People were added since. */
  recoveryIsOld: boolean
  backupSavedMs?: number
  usedBytes: number
  quotaBytes: number
  /** Since the account was made, so that a screen can remind. */
  accountMadeMs: number
  messagesSent: number
}
