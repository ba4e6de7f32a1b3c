// What a person has set for the app: held in memory until there is an account to keep it with.
import type { Records } from '@postern/core'
import { defaultSettings, type Settings } from '../contract/settings.ts'
import { fields, flag, oneOf } from './shapes.ts'
import { lenient, Shelf } from './shelf.ts'
import type { Touch } from './topics.ts'

const KEY = 'app'

export const someSettings = fields(
  {},
  {
    language: oneOf('auto', 'en', 'ru'),
    scheme: oneOf('auto', 'light', 'dark'),
    notify: oneOf('nothing', 'name', 'words'),
    sound: flag,
    enterSends: flag,
  },
)

export class AppSettings {
  readonly #touch: Touch
  #shelf: Shelf<Partial<Settings>> | undefined
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

  /** The account is open: what was chosen before it was made is kept with it. */
  async keepIn(records: Records): Promise<void> {
    const onChange = () => this.#touch('settings')
    this.#shelf = new Shelf(records, { read: lenient(value => someSettings(value, 'settings')), onChange })
    const early = this.#early
    this.#early = {}
    this.#touch('settings')
    if (Object.keys(early).length > 0) await this.set(early)
  }

  /** The account is gone: its settings are gone with it. */
  letGo(): void {
    this.#shelf = undefined
    this.#touch('settings')
  }
}
