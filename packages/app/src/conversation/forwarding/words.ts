// The texts for selected and forwarded messages.
import { inLanguages, plural } from '../../i18n/language.ts'

export const selectingWords = inLanguages({
  en: {
    selected: (count: number) => plural(count, { one: '# selected', other: '# selected' }),
    end: 'Stop selecting',
    copy: 'Copy text',
    forward: 'Forward',
    erase: 'Delete',
    forwardTo: 'Forward to',
    chats: 'Chats',
    search: 'Search',
    noChats: 'No chat to forward to',
    noPolls: 'Polls cannot be forwarded: their votes belong to this chat.',
    tooMany: (count: number) => `At most ${count} messages can be forwarded at a time.`,
    unnamed: 'The messages are marked as forwarded. The people who wrote them are not named.',
    forwarding: 'Forwarding',
    cancel: 'Cancel',
  },
  ru: {
    selected: (count: number) => plural(count, { one: 'Выбрано: #', other: 'Выбрано: #' }),
    end: 'Закончить выбор',
    copy: 'Копировать текст',
    forward: 'Переслать',
    erase: 'Удалить',
    forwardTo: 'Кому переслать',
    chats: 'Чаты',
    search: 'Поиск',
    noChats: 'Пересылать некуда',
    noPolls: 'Опрос переслать нельзя: голоса остаются в этом чате.',
    tooMany: (count: number) => `За один раз можно переслать не больше ${count} сообщений.`,
    unnamed: 'Сообщения будут отмечены как пересланные. Кто их написал, не указывается.',
    forwarding: 'Пересылается',
    cancel: 'Отмена',
  },
})
