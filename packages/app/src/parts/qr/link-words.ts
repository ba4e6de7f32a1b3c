// The texts beside a link that a person gives to others.
import { inLanguages } from '../../i18n/language.ts'

export const linkWords = inLanguages({
  en: { copy: 'Copy', share: 'Share' },
  ru: { copy: 'Скопировать', share: 'Поделиться' },
})
