// The texts about notifications.
import { inLanguages } from '../i18n/language.ts'

export const pushWords = inLanguages({
  en: {
    allow: 'Turn on',
    level: 'Notifications',
    levelOff: 'Off',
    levelOffHint: 'Unread messages are only counted.',
    levelNothing: 'Something arrived',
    levelNothingHint: 'Notifications only say “New message”.',
    levelName: 'Chat name',
    levelNameHint: 'Your device shows and may store the names of your chats.',
    levelWords: 'Chat name and text',
    levelWordsHint:
      'Your device shows and may store the beginning of messages. Senders seal it separately; a thief of this browser’s data could read it.',
    offer: 'Get notified when Postern is closed?',
    offerAct: 'Turn on…',
    offerTitle: 'Get notified of new messages?',
    offerText:
      'Postern can notify you while it is closed. Your relay sends a sealed signal over your browser’s push service, and neither can read your messages. Next, your browser asks for your permission.',
    notNow: 'Not now',
    ok: 'OK',
    homeTitle: 'Add Postern to your home screen',
    homeText:
      'On an iPhone or iPad, only apps on the home screen can notify you. In Safari, tap Share, then “Add to Home Screen”. Open Postern from there and turn on notifications in its settings.',
    permission: 'On this device',
    sound: 'Sound',
    soundHint: 'A short sound for new messages',
    vibrate: 'Vibration',
    vibrateHint: 'On phones that can vibrate',
    test: 'Send test notification',
    on: 'On',
    state: {
      on: 'You get notified, also while Postern is closed.',
      off: 'Notifications are off.',
      unknown: 'You get notified while Postern is open.',
      'relay-off': 'This relay sends no notifications. You get notified only while Postern is open.',
      refused:
        'This browser’s push service cannot be used with this relay. You get notified only while Postern is open.',
    },
    lack: {
      unasked: 'Your browser has not allowed notifications yet.',
      denied:
        'Notifications are blocked for this site. Open the site settings of your browser, at the left of the address, and allow notifications.',
      'no-push': 'This browser cannot notify you while Postern is closed. You get notified while Postern is open.',
      missing: 'This browser does not support notifications.',
    },
    deniedToast: 'Notifications stay off: your browser did not allow them.',
    differsTitle: 'A notification showed different words',
    differsText: (from: string, text: string) =>
      `The notification of a message from ${from} said “${text}”. The message itself says something else. Its sender may be using a modified app to deceive you.`,
    openChat: 'Open chat',
    close: 'Close',
  },
  ru: {
    allow: 'Включить',
    level: 'Уведомления',
    levelOff: 'Выключены',
    levelOffHint: 'Непрочитанные сообщения только считаются.',
    levelNothing: 'Что-то пришло',
    levelNothingHint: 'Уведомление говорит только «Новое сообщение».',
    levelName: 'Название чата',
    levelNameHint: 'Устройство показывает и может сохранить названия ваших чатов.',
    levelWords: 'Название чата и текст',
    levelWordsHint:
      'Устройство показывает и может сохранить начало сообщений. Отправитель шифрует его отдельно; укравший данные этого браузера сможет его прочесть.',
    offer: 'Получать уведомления, когда Postern закрыт?',
    offerAct: 'Включить…',
    offerTitle: 'Уведомлять о новых сообщениях?',
    offerText:
      'Postern может уведомлять вас, когда он закрыт. Сервер посылает зашифрованный сигнал через службу вашего браузера, и никто из них не может прочесть сообщения. Дальше браузер спросит разрешения.',
    notNow: 'Не сейчас',
    ok: 'Понятно',
    homeTitle: 'Добавьте Postern на экран «Домой»',
    homeText:
      'На iPhone и iPad уведомлять могут только приложения с экрана «Домой». В Safari нажмите «Поделиться», затем «На экран „Домой“». Откройте Postern оттуда и включите уведомления в настройках.',
    permission: 'На этом устройстве',
    sound: 'Звук',
    soundHint: 'Короткий сигнал о новом сообщении',
    vibrate: 'Вибрация',
    vibrateHint: 'На телефонах, которые умеют вибрировать',
    test: 'Показать пример',
    on: 'Включены',
    state: {
      on: 'Уведомления приходят и тогда, когда Postern закрыт.',
      off: 'Уведомления выключены.',
      unknown: 'Уведомления приходят, пока Postern открыт.',
      'relay-off': 'Этот сервер не отправляет уведомлений. Они приходят, только пока Postern открыт.',
      refused:
        'Служба уведомлений этого браузера не работает с этим сервером. Уведомления приходят, только пока Postern открыт.',
    },
    lack: {
      unasked: 'Браузер ещё не разрешил уведомления.',
      denied:
        'Уведомления для этого сайта запрещены. Откройте настройки сайта слева от адреса и разрешите уведомления.',
      'no-push': 'Этот браузер не может уведомлять, когда Postern закрыт. Уведомления приходят, пока Postern открыт.',
      missing: 'Этот браузер не поддерживает уведомления.',
    },
    deniedToast: 'Уведомления выключены: браузер их не разрешил.',
    differsTitle: 'Уведомление показало другие слова',
    differsText: (from: string, text: string) =>
      `В уведомлении о сообщении от ${from} было «${text}». В самом сообщении написано другое. Возможно, отправитель обманывает вас изменённым приложением.`,
    openChat: 'Открыть чат',
    close: 'Закрыть',
  },
})
