// The texts of the parts.
import { inLanguages } from '../i18n/language.ts'

export const partsWords = inLanguages({
  en: {
    back: 'Back',
    bot: 'bot',
    busy: 'One moment…',
    cancel: 'Cancel',
    clearHistory: 'Clear history',
    close: 'Close',
    copied: 'Copied',
    deleteChat: 'Delete chat',
    hiddenText: 'Hidden text: press to show it',
    onlyYou: (name: string) => `${name} · only you can see this`,
    someSeconds: 'This takes a few seconds…',
  },
  ru: {
    back: 'Назад',
    bot: 'бот',
    busy: 'Секунду…',
    cancel: 'Отмена',
    clearHistory: 'Очистить историю',
    close: 'Закрыть',
    copied: 'Скопировано',
    deleteChat: 'Удалить чат',
    hiddenText: 'Скрытый текст: нажмите, чтобы показать',
    onlyYou: (name: string) => `${name} отвечает · видите только вы`,
    someSeconds: 'Это займёт несколько секунд…',
  },
})
