// A person's settings for the app: held in memory until there is an account to store them with.
import type { Records } from '@postern/core'
import { defaultSettings, type SettingRule, type Settings, settingRules } from '../contract/settings.ts'
import { lenient, RecordMap } from './record-map.ts'
import { fields, flag, oneOf, type Shape } from './shapes.ts'
import type { Touch } from './topics.ts'

const KEY = 'app'

const shapeOf = (rule: SettingRule): Shape<unknown> => (typeof rule === 'boolean' ? flag : oneOf(...rule))

export const someSettings = fields(
  {},
  Object.fromEntries(Object.entries(settingRules).map(([name, rule]) => [name, shapeOf(rule)])),
) as Shape<Partial<Settings>>

export class AppSettings {
  readonly #touch: Touch
  #shelf: RecordMap<Partial<Settings>> | undefined
  #early: Partial<Settings> = {}

  constructor(touch: Touch) {
    this.#touch = touch
  }

  get(): Settings {
    return { ...defaultSettings, ...this.#shelf?.get(KEY), ...this.#early }
  }

  async set(change: Partial<Settings>): Promise<void> {
    const changed = { ...this.get(), ...change }
    if (this.#shelf) return await this.#shelf.put(KEY, changed)
    this.#early = changed
    this.#touch('settings')
  }

  /** The account is open: choices from before it was created are stored with it. */
  async keepIn(records: Records): Promise<void> {
    const onChange = () => this.#touch('settings')
    this.#shelf = new RecordMap(records, { read: lenient(value => someSettings(value, 'settings')), onChange })
    this.#touch('settings')
    if (Object.keys(this.#early).length === 0) return
    // Forgotten only then: if they cannot be stored, the next opening stores them.
    await this.set(this.#early)
    this.#early = {}
  }

  /** The account is gone, and its settings with it. */
  letGo(): void {
    this.#shelf = undefined
    this.#touch('settings')
  }
}
