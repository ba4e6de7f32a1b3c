// The texts of the locked app.
import { inLanguages } from '../i18n/language.ts'

export const lockWords = inLanguages({
  en: {
    title: 'Postern is locked',
    passphrase: 'Passphrase or PIN',
    unlock: 'Unlock',
    empty: 'Enter your passphrase or PIN.',
    wait: (time: string) => `Too many wrong attempts. You can try again in ${time}.`,
    forgot: 'I forgot it',
    back: 'Back',
  },
  ru: {
    title: 'Postern заблокирован',
    passphrase: 'Пароль или PIN-код',
    unlock: 'Разблокировать',
    empty: 'Введите пароль или PIN-код.',
    wait: (time: string) => `Слишком много неверных попыток. Снова можно через ${time}.`,
    forgot: 'Не помню пароль',
    back: 'Назад',
  },
})
