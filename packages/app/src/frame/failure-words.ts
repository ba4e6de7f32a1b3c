// The app cannot be shown: what happened, and what to do, in words.
import type { FailureKind } from '../contract/stage.ts'
import { inLanguages } from '../words/language.ts'
import type { Lack } from './support.ts'

type Said = { title: string; text: string }

const failuresEn: Record<FailureKind | Lack | 'broken', Said> = {
  insecure: {
    title: 'This address is not secure',
    text: 'Browsers give an app its keys only over HTTPS. Open the same page by https://, or ask whoever runs the relay.',
  },
  'old-browser': {
    title: 'This browser cannot run Postern',
    text: 'It lacks private storage or encryption, or they are off in a private window. A current Chrome, Edge, Firefox or Safari has them.',
  },
  unsupported: {
    title: 'This browser cannot run Postern',
    text: 'It lacks private storage or encryption, or they are off in a private window. A current Chrome, Edge, Firefox or Safari has them.',
  },
  'storage-cleared': {
    title: 'The browser has cleared your account',
    text: 'A part of what was kept here is gone, and the rest cannot be opened without it. With your recovery file or a backup, your account comes back.',
  },
  'database-damaged': {
    title: 'The messages kept here are damaged',
    text: 'They cannot be read any more. Reload the page first. If that does not help, bring your account back with your recovery file or a backup.',
  },
  'storage-full': {
    title: 'There is no room left',
    text: 'The device or the browser’s share of it is full. Make some room, then reload the page. Nothing is lost.',
  },
  'database-newer': {
    title: 'This page is older than your messages',
    text: 'A newer version has written them. Reload the page to get it.',
  },
  'account-unknown': {
    title: 'The relay does not know your account',
    text: 'It has lost its data, or this is another relay. Ask whoever runs it: when it knows you again, everything goes on here. Or begin anew.',
  },
  'account-banned': {
    title: 'The relay does not let you in',
    text: 'Whoever runs it has shut your account out. Ask them why: when they let you in again, everything goes on here. Nothing on this device is lost.',
  },
  'registration-closed': {
    title: 'This relay takes no new accounts',
    text: 'Ask whoever runs it to let you in, then reload the page. An account that it knows already comes back with its recovery file.',
  },
  'code-needed': {
    title: 'This relay asks for a code',
    text: 'It takes new accounts by invite. Whoever runs it can give you a code: it is asked for once.',
  },
  unknown: {
    title: 'Postern could not start',
    text: 'Something went wrong that has no name yet. Reload the page; what you have is kept.',
  },
  broken: {
    title: 'Postern cannot start its core',
    text: 'It fails again and again. Check the connection and reload the page; what you have is kept.',
  },
}

const failuresRu: typeof failuresEn = {
  insecure: {
    title: 'Адрес не защищён',
    text: 'Браузер даёт приложению ключи только по HTTPS. Откройте эту же страницу через https:// или спросите владельца сервера.',
  },
  'old-browser': {
    title: 'Этот браузер не подходит для Postern',
    text: 'В нём нет личного хранилища или шифрования, либо они отключены в приватном окне. В свежих Chrome, Edge, Firefox и Safari они есть.',
  },
  unsupported: {
    title: 'Этот браузер не подходит для Postern',
    text: 'В нём нет личного хранилища или шифрования, либо они отключены в приватном окне. В свежих Chrome, Edge, Firefox и Safari они есть.',
  },
  'storage-cleared': {
    title: 'Браузер удалил ваш аккаунт',
    text: 'Часть сохранённого пропала, а без неё не открыть остальное. Файл восстановления или резервная копия вернут ваш аккаунт.',
  },
  'database-damaged': {
    title: 'Сохранённые сообщения повреждены',
    text: 'Их больше не прочитать. Сначала перезагрузите страницу. Если не поможет, восстановите аккаунт из файла восстановления или резервной копии.',
  },
  'storage-full': {
    title: 'Место закончилось',
    text: 'Заполнено устройство или та его часть, которую отводит браузер. Освободите место и перезагрузите страницу. Ничего не потеряно.',
  },
  'database-newer': {
    title: 'Страница старее ваших сообщений',
    text: 'Их записала новая версия. Перезагрузите страницу, чтобы её получить.',
  },
  'account-unknown': {
    title: 'Сервер не знает вашего аккаунта',
    text: 'Он потерял данные, или это другой сервер. Спросите его владельца: когда сервер снова узнает вас, всё продолжится. Либо начните заново.',
  },
  'account-banned': {
    title: 'Сервер вас не пускает',
    text: 'Его владелец закрыл доступ вашему аккаунту. Спросите у него почему: когда он снова вас впустит, всё продолжится. На этом устройстве ничего не потеряно.',
  },
  'registration-closed': {
    title: 'Сервер не принимает новые аккаунты',
    text: 'Попросите владельца сервера впустить вас и перезагрузите страницу. Аккаунт, который сервер уже знает, можно вернуть из файла восстановления.',
  },
  'code-needed': {
    title: 'Серверу нужен код',
    text: 'Новые аккаунты здесь только по приглашению. Попросите код у владельца сервера: вводить его нужно один раз.',
  },
  unknown: {
    title: 'Postern не запустился',
    text: 'Что-то пошло не так. Перезагрузите страницу: ваши данные сохранены.',
  },
  broken: {
    title: 'Postern не может запуститься',
    text: 'Сбой повторяется снова и снова. Проверьте соединение и перезагрузите страницу: ваши данные сохранены.',
  },
}

export const failureWords = inLanguages({
  en: {
    failures: failuresEn,
    details: 'What the app says',
    reload: 'Reload',
    restore: 'Bring my account back',
    removeAll: 'Remove everything and begin anew',
    removeTitle: 'Remove everything that is kept here?',
    removeText:
      'The account and all messages in this browser are gone then. Only a recovery file or a backup brings them back.',
    remove: 'Remove',
    code: 'Code',
    codeEmpty: 'Write or paste the code.',
    useCode: 'Go on',
  },
  ru: {
    failures: failuresRu,
    details: 'Подробности',
    reload: 'Перезагрузить',
    restore: 'Восстановить аккаунт',
    removeAll: 'Удалить всё и начать заново',
    removeTitle: 'Удалить всё, что здесь хранится?',
    removeText:
      'Аккаунт и все сообщения в этом браузере исчезнут. Вернуть их смогут только файл восстановления или резервная копия.',
    remove: 'Удалить',
    code: 'Код',
    codeEmpty: 'Введите или вставьте код.',
    useCode: 'Продолжить',
  },
})
