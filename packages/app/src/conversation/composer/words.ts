// The texts of the field and its surroundings.
import { inLanguages, plural } from '../../i18n/language.ts'
import { isolated } from '../isolate.ts'

export const composerWords = inLanguages({
  en: {
    message: 'Message',
    send: 'Send',
    save: 'Save',
    commands: 'Commands',
    people: 'Members',
    emoji: 'Emoji',
    replying: (name: string) => `Reply to ${isolated(name)}`,
    replyingToYou: 'Reply to yourself',
    editing: 'Edit message',
    cancel: 'Cancel',
    hint: (args: string) => `Then: ${args}`,
    choices: (count: number) => plural(count, { one: '# suggestion', other: '# suggestions' }),
    charsLeft: (count: number) => plural(count, { one: '# character left', other: '# characters left' }),
    tooLong: (count: number) =>
      plural(count, { one: '# character over the limit', other: '# characters over the limit' }),
  },
  ru: {
    message: 'Сообщение',
    send: 'Отправить',
    save: 'Сохранить',
    commands: 'Команды',
    people: 'Участники',
    emoji: 'Эмодзи',
    replying: (name: string) => `В ответ: ${isolated(name)}`,
    replyingToYou: 'В ответ себе',
    editing: 'Изменение сообщения',
    cancel: 'Отмена',
    hint: (args: string) => `Далее: ${args}`,
    choices: (count: number) => plural(count, { one: '# подсказка', few: '# подсказки', other: '# подсказок' }),
    charsLeft: (count: number) =>
      plural(count, { one: 'остался # символ', few: 'осталось # символа', other: 'осталось # символов' }),
    tooLong: (count: number) =>
      plural(count, { one: 'лишний # символ', few: 'лишние # символа', other: 'лишних # символов' }),
  },
})
