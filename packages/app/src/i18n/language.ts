// The language of the app. Each screen has its texts next to it, in all languages; the compiler reports a missing one.
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Settings } from '../contract/settings.ts'

export const languages = ['en', 'ru'] as const
export type Language = (typeof languages)[number]

const preferred = (): Language => (navigator.language.toLowerCase().startsWith('ru') ? 'ru' : 'en')

export const language = signal<Language>(preferred())

/** The language with the customs of the browser's country: 24 hours in London, and AM and PM in New York. */
function localeFor(chosen: Language, browser: string): string {
  const { region } = new Intl.Locale(browser).maximize()
  return region === undefined ? chosen : `${chosen}-${region}`
}

export const locale: ReadonlySignal<string> = computed(() => localeFor(language.value, navigator.language))

export function chooseLanguage(setting: Settings['language']): void {
  language.value = setting === 'auto' ? preferred() : setting
}

/** The texts of one screen: `words.value` are those of the present language. */
export const inLanguages = <Words>(all: { en: Words; ru: NoInfer<Words> }): ReadonlySignal<Words> =>
  computed(() => all[language.value])

const pluralRules = computed(() => new Intl.PluralRules(language.value))
const numbers = computed(() => new Intl.NumberFormat(language.value))

/** `forms` by the plural rules of the language: Russian has one, few and many. */
export function plural(count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }): string {
  const rule = pluralRules.value.select(count)
  return (forms[rule] ?? forms.other).replace('#', numbers.value.format(count))
}
