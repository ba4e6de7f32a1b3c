// The app cannot be shown: the texts with the reason and the remedy.
import type { FailureKind } from '../contract/stage.ts'
import { inLanguages } from '../i18n/language.ts'
import type { Lack } from './support.ts'

type FailureText = { title: string; text: string }

const failuresEn: Record<FailureKind | Lack | 'broken' | 'forgotten', FailureText> = {
  insecure: {
    title: 'This address is not secure',
    text: 'Browsers allow encryption only over HTTPS. Open this page with https://, or ask the relay’s operator.',
  },
  'old-browser': {
    title: 'Postern does not work in this browser',
    text: 'Private storage or encryption is missing, or turned off in a private window. Use a current version of Chrome, Edge, Firefox or Safari.',
  },
  unsupported: {
    title: 'Postern does not work in this browser',
    text: 'Private storage or encryption is missing, or turned off in a private window. Use a current version of Chrome, Edge, Firefox or Safari.',
  },
  'storage-cleared': {
    title: 'Your browser cleared your account',
    text: 'Your account data is gone or can no longer be opened. Browsers clear data when space runs low, or when someone clears site data. You can restore your account from a recovery file or a full backup, or from another device where it is still open.',
  },
  'storage-refused': {
    title: 'Your browser does not let Postern store data',
    text: 'Site data is blocked for this page, or this is a private window. Allow this site to store data, or open it in a normal window, then reload. If you had an account here, it is not deleted; you can also use your recovery file or a backup.',
  },
  'storage-failed': {
    title: 'Browser storage is not working',
    text: 'Your account is probably still there. Reload the page or restart your browser. If that does not help, restore your account from your recovery file or a backup.',
  },
  'database-damaged': {
    title: 'Your stored messages are damaged',
    text: 'They can no longer be read. First, reload the page. If that does not help, restore your account from your recovery file or a backup.',
  },
  'storage-full': {
    title: 'Storage is full',
    text: 'Your device, or the space your browser allows, is full. Free up some space, then reload the page. Nothing is lost.',
  },
  'database-newer': {
    title: 'This version is out of date',
    text: 'Your messages were saved by a newer version. Reload the page to update.',
  },
  'account-unknown': {
    title: 'The relay does not know your account',
    text: 'It lost its data, or this is a different relay. Ask the relay’s operator. Once the relay knows your account again, you can continue here. Or start over.',
  },
  'account-banned': {
    title: 'Your account is banned',
    text: 'The relay’s operator banned your account. Ask the operator why. If the ban is lifted, you can continue here. Nothing on this device is lost.',
  },
  'registration-closed': {
    title: 'This relay does not accept new accounts',
    text: 'Ask the relay’s operator for access, then reload the page. If you already have an account here, restore it from its recovery file.',
  },
  'code-needed': {
    title: 'This relay requires a code',
    text: 'New accounts need an invite code. Ask the relay’s operator for one. You enter it only once.',
  },
  forgotten: {
    title: 'Nobody can unlock it for you',
    text: 'Your messages on this device cannot be read without the passphrase. You can restore your account from a recovery file or a backup, or from another device. This replaces everything on this device. A recovery file has no messages.',
  },
  unknown: {
    title: 'Postern could not start',
    text: 'Something unexpected went wrong. Reload the page; your messages are safe.',
  },
  broken: {
    title: 'Postern keeps failing to start',
    text: 'Check your connection and reload the page. Your messages are safe.',
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
    text: 'Данные аккаунта пропали или больше не открываются. Так бывает, когда заканчивается место или кто-то очищает данные сайтов. Аккаунт вернут файл восстановления, полная копия или другое устройство, на котором он ещё открыт.',
  },
  'storage-refused': {
    title: 'Браузер не даёт Postern ничего сохранять',
    text: 'Данные этого сайта заблокированы, или это приватное окно. Разрешите сайту хранить данные или откройте его в обычном окне и перезагрузите страницу. Если здесь был аккаунт, он от этого не удалён; файл восстановления и резервная копия тоже подойдут.',
  },
  'storage-failed': {
    title: 'Хранилище браузера не работает',
    text: 'Скорее всего, ваш аккаунт на месте. Перезагрузите страницу или перезапустите браузер. Если не поможет, восстановите аккаунт из файла восстановления или резервной копии.',
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
  forgotten: {
    title: 'Без пароля не открыть',
    text: 'Без пароля сообщения на этом устройстве не прочитает никто. Можно восстановить аккаунт из файла восстановления или резервной копии либо перенести его с другого устройства. Всё, что есть здесь, будет заменено. В файле восстановления нет сообщений.',
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
    details: 'Details',
    reload: 'Reload',
    restore: 'Restore my account',
    move: 'Move from another device',
    removeAll: 'Erase everything and start over',
    removeTitle: 'Erase everything in this browser?',
    removeText:
      'This erases your account and all messages in this browser. You can only restore them from a recovery file or a backup.',
    remove: 'Erase',
    code: 'Code',
    codeEmpty: 'Enter the code.',
    useCode: 'Continue',
  },
  ru: {
    failures: failuresRu,
    details: 'Подробности',
    reload: 'Перезагрузить',
    restore: 'Восстановить аккаунт',
    move: 'Перенести с другого устройства',
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
