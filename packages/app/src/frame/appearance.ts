// Applies the person's language and colours to the whole page.
import { effect } from '@preact/signals'
import { defaultSettings, type Settings } from '../contract/settings.ts'
import { chooseLanguage, language } from '../i18n/language.ts'
import { watch } from '../link/link.ts'

const schemes: Record<Settings['scheme'], string> = { auto: 'light dark', light: 'light', dark: 'dark' }

function showAppearance(settings: Settings): void {
  chooseLanguage(settings.language)
  document.documentElement.style.setProperty('color-scheme', schemes[settings.scheme])
  followScheme(settings.scheme)
}

/** The colour of the browser's own bars: each of the two names its scheme, a forced one applies to both. */
function followScheme(scheme: Settings['scheme']): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.dataset['scheme']
    meta.media = scheme === 'auto' ? `(prefers-color-scheme: ${own})` : scheme === own ? 'all' : 'not all'
  }
}

export function startAppearance(): void {
  showAppearance(defaultSettings)
  watch('settings', [], showAppearance)
  effect(() => {
    document.documentElement.lang = language.value
  })
}
