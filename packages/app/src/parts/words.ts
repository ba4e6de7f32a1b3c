// What the parts say by themselves.
import { inLanguages } from '../words/language.ts'

export const partsWords = inLanguages({
  en: {
    back: 'Back',
    bot: 'bot',
    busy: 'One moment…',
    cancel: 'Cancel',
    close: 'Close',
    copied: 'Copied',
    onlyYou: (name: string) => `${name} answers · only you see this`,
    someSeconds: 'This takes some seconds…',
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
