// The texts about the storage of this device.
import { inLanguages, plural } from '../i18n/language.ts'

export const storageWords = inLanguages({
  en: {
    storage: 'Storage',
    messages: 'Messages',
    messagesText: 'Texts, polls and previews of pictures',
    files: 'Files',
    filesText: 'Photos, videos and files that you have opened or sent',
    other: 'Everything else',
    otherText: 'Keys, groups and indexes',
    largest: 'Largest chats',
    counts: (messages: number, files: number) =>
      `${plural(messages, { one: '# message', other: '# messages' })} · ${plural(files, { one: '# file', other: '# files' })}`,
    removeOlder: 'Free up space',
    ages: {
      7: 'Files older than a week',
      30: 'Files older than a month',
      90: 'Files older than three months',
      365: 'Files older than a year',
      0: 'All files',
    },
    removeHint:
      'Messages and their previews stay. A file is downloaded again when you open it, if the relay still has it.',
    remove: 'Remove files',
    removeTitle: 'Remove these files from this device?',
    removeText:
      'You can download them again only as long as the relay has them. Relays delete files after a while, usually 30 days after they were sent. Save older files that you need first.',
    removed: (size: string) => `${size} freed`,
    nothingRemoved: 'There were no such files on this device.',
  },
  ru: {
    storage: 'Память',
    messages: 'Сообщения',
    messagesText: 'Тексты, опросы и эскизы изображений',
    files: 'Файлы',
    filesText: 'Фото, видео и файлы, которые вы открывали или отправили',
    other: 'Всё остальное',
    otherText: 'Ключи, группы и указатели',
    largest: 'Самые большие чаты',
    counts: (messages: number, files: number) =>
      `${plural(messages, { one: '# сообщение', few: '# сообщения', other: '# сообщений' })} · ${plural(files, { one: '# файл', few: '# файла', other: '# файлов' })}`,
    removeOlder: 'Освободить место',
    ages: {
      7: 'Файлы старше недели',
      30: 'Файлы старше месяца',
      90: 'Файлы старше трёх месяцев',
      365: 'Файлы старше года',
      0: 'Все файлы',
    },
    removeHint:
      'Сообщения и эскизы останутся. Файл скачается снова, когда вы его откроете, если он ещё есть на сервере.',
    remove: 'Удалить файлы',
    removeTitle: 'Удалить эти файлы с устройства?',
    removeText:
      'Скачать их снова можно, только пока они есть на сервере. Серверы удаляют файлы через некоторое время, обычно через 30 дней после отправки. Нужные старые файлы сначала сохраните.',
    removed: (size: string) => `Освобождено: ${size}`,
    nothingRemoved: 'Таких файлов на устройстве нет.',
  },
})
