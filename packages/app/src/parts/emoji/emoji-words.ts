// The texts of the emoji picker: fetched with it.
import { inLanguages } from '../../i18n/language.ts'

export const emojiWords = inLanguages({
  en: {
    emojiGroups: 'Emoji categories',
    emojiGroup: {
      recent: 'Recent',
      smileys: 'Smileys',
      people: 'People',
      nature: 'Animals and nature',
      food: 'Food and drink',
      travel: 'Travel and places',
      activities: 'Activities',
      objects: 'Objects',
      symbols: 'Symbols',
      flags: 'Flags',
    },
    emoji: 'Emoji',
    findEmoji: 'Search emoji',
    noEmoji: 'No emoji found',
  },
  ru: {
    emojiGroups: 'Группы эмодзи',
    emojiGroup: {
      recent: 'Недавние',
      smileys: 'Смайлики',
      people: 'Люди',
      nature: 'Животные и природа',
      food: 'Еда и напитки',
      travel: 'Путешествия и места',
      activities: 'Занятия',
      objects: 'Предметы',
      symbols: 'Символы',
      flags: 'Флаги',
    },
    emoji: 'Эмодзи',
    findEmoji: 'Найти эмодзи',
    noEmoji: 'Ничего не найдено',
  },
})
