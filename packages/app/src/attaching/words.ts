// The texts for attaching files, polls and voice messages.
import { contentLimits } from '@postern/protocol'
import { inLanguages, plural } from '../i18n/language.ts'
import { sizeOf } from '../i18n/sizes.ts'

const { fileBytesMax, pollOptionsMax } = contentLimits

export const attachingWords = inLanguages({
  en: {
    attach: 'Attach',
    photoOrVideo: 'Photo or video',
    file: 'File',
    poll: 'Poll',
    sendFiles: (count: number) => plural(count, { one: 'Send this file?', other: 'Send # files?' }),
    caption: 'Caption',
    captionLong: (count: number) =>
      plural(count, { one: '# character over the limit', other: '# characters over the limit' }),
    asFile: 'Send as files, in original quality',
    asFileHint: 'Files are not changed. Photos keep the place and time they were taken.',
    send: 'Send',
    cancel: 'Cancel',
    remove: (name: string) => `Remove ${name}`,
    tooLarge: (name: string) => `${name} is larger than ${sizeOf(fileBytesMax)} and cannot be sent.`,
    dropHere: 'Drop files here to send them',
    newPoll: 'New poll',
    question: 'Question',
    option: (at: number) => `Answer ${at}`,
    addOption: 'Add answer',
    optionsMax: `At most ${pollOptionsMax} answers`,
    multiple: 'Allow multiple answers',
    record: 'Record voice message',
    recording: 'Recording',
    discard: 'Discard',
    noMicrophone: 'Microphone access is blocked. Allow it in your browser’s settings.',
  },
  ru: {
    attach: 'Прикрепить',
    photoOrVideo: 'Фото или видео',
    file: 'Файл',
    poll: 'Опрос',
    sendFiles: (count: number) =>
      plural(count, {
        one: count === 1 ? 'Отправить файл?' : 'Отправить # файл?',
        few: 'Отправить # файла?',
        many: 'Отправить # файлов?',
        other: 'Отправить # файла?',
      }),
    caption: 'Подпись',
    captionLong: (count: number) =>
      plural(count, { one: 'лишний # символ', few: 'лишние # символа', other: 'лишних # символов' }),
    asFile: 'Как файлы, не уменьшая фото',
    asFileHint: 'Все байты как есть, в том числе место и время съёмки.',
    send: 'Отправить',
    cancel: 'Отмена',
    remove: (name: string) => `Не отправлять ${name}`,
    tooLarge: (name: string) => `${name} больше ${sizeOf(fileBytesMax)}, отправить не получится.`,
    dropHere: 'Перетащите файлы сюда, чтобы отправить',
    newPoll: 'Новый опрос',
    question: 'Вопрос',
    option: (at: number) => `Ответ ${at}`,
    addOption: 'Добавить ответ',
    optionsMax: `Не больше ${pollOptionsMax} ответов`,
    multiple: 'Можно выбрать несколько',
    record: 'Записать голосовое сообщение',
    recording: 'Идёт запись',
    discard: 'Удалить запись',
    noMicrophone: 'Нет доступа к микрофону: разрешите его в настройках браузера.',
  },
})
