// A person's settings for the app on this device.

/** Every setting, declared here alone: the choices, the default first; or the default of a switch. */
export const settingRules = {
  language: ['auto', 'en', 'ru'],
  scheme: ['auto', 'light', 'dark'],
  /** The content of a notification; `off` for none at all. */
  notify: ['name', 'nothing', 'words', 'off'],
  sound: true,
  /** Others learn what was read, and this device shows what they have read. */
  readReceipts: true,
  /** Others see that the person is typing, and this device shows who else is. */
  typing: true,
  vibrate: true,
  /** The app may still offer notifications on its own. */
  offerNotifications: true,
  /** The app may still offer to be installed. */
  offerInstall: true,
  /** Minutes without a touch or a key after which a locked app asks for its passphrase. */
  lockAfter: ['5', '1', '15', '60', 'never'],
  /** Enter sends, otherwise Ctrl+Enter does. */
  enterSends: true,
} as const satisfies Readonly<Record<string, SettingRule>>

export type SettingRule = boolean | readonly [string, ...string[]]
type Rules = typeof settingRules

export type Settings = {
  -readonly [Name in keyof Rules]: Rules[Name] extends readonly (infer Choice)[] ? Choice : boolean
}

const defaultOf = (rule: SettingRule) => (typeof rule === 'boolean' ? rule : rule[0])

export const defaultSettings = Object.fromEntries(
  Object.entries(settingRules).map(([name, rule]) => [name, defaultOf(rule)]),
) as Settings

/** Why nothing is pushed. `relay-off`: the relay sends no pushes. `refused`: relay or browser accepts no subscription. */
export const noPushReasons = ['off', 'relay-off', 'refused'] as const
export type NoPushReason = (typeof noPushReasons)[number]
export type PushState = 'unknown' | 'on' | NoPushReason

/** How the account is protected from being lost. */
export type BackupState = {
  /** Whether the browser promised not to clear the storage; undefined when it cannot tell. */
  persisted: boolean
  recoverySavedMs?: number
  /** People were added since. */
  recoveryIsOld: boolean
  backupSavedMs?: number
  usedBytes: number
  quotaBytes: number
  /** Since the account was created, so that a screen can remind. */
  accountMadeMs: number
  messagesSent: number
}
