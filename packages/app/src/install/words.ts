// The texts about installing the app.
import { inLanguages } from '../i18n/language.ts'

export const installWords = inLanguages({
  en: {
    offer: 'Install Postern on this device?',
    offerAct: 'Install…',
    title: 'Install Postern?',
    text: 'Postern gets an icon and a window of its own, and keeps your account. Next, your browser asks for your consent.',
    option: 'Install app',
    optionText: 'An icon and a window of its own',
    notNow: 'Not now',
    install: 'Install',
    homeTitle: 'Add Postern to your home screen',
    homeText:
      'In Safari, tap Share, then “Add to Home Screen”. The app there has a storage of its own. If it opens without your account, move the account to it: Settings, Backup and recovery, Move to another device.',
    ok: 'OK',
  },
  ru: {
    offer: 'Установить Postern на это устройство?',
    offerAct: 'Установить…',
    title: 'Установить Postern?',
    text: 'У Postern будет свой значок и своё окно, а аккаунт останется. Дальше согласия спросит браузер.',
    option: 'Установить приложение',
    optionText: 'Свой значок и своё окно',
    notNow: 'Не сейчас',
    install: 'Установить',
    homeTitle: 'Добавьте Postern на экран «Домой»',
    homeText:
      'В Safari нажмите «Поделиться», затем «На экран „Домой“». У приложения на экране своё хранилище. Если оно откроется без вашего аккаунта, перенесите его: Настройки, Сохранение аккаунта, Перенести на другое устройство.',
    ok: 'Понятно',
  },
})
