// The texts of the parts.
import { inLanguages } from '../i18n/language.ts'

export const partsWords = inLanguages({
  en: {
    back: 'Back',
    bot: 'bot',
    busy: 'One moment…',
    cancel: 'Cancel',
    close: 'Close',
    copied: 'Copied',
    onlyYou: (name: string) => `${name} · only you can see this`,
    someSeconds: 'This takes a few seconds…',
  },
  ru: {
    back: 'Назад',
    bot: 'бот',
    busy: 'Секунду…',
    cancel: 'Отмена',
    close: 'Закрыть',
    copied: 'Скопировано',
    onlyYou: (name: string) => `${name} отвечает · видите только вы`,
    someSeconds: 'Это займёт несколько секунд…',
  },
})
