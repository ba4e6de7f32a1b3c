// The texts that people see about questions of agents, by language.
import type { BotLanguage } from '@postern/bot-api'

export type AskWords = {
  replyHint: string
  answered: (answer: { label: string; name: string; time: string }) => string
  replied: (answer: { name: string; time: string }) => string
  expired: string
  cancelled: string
  toasts: {
    accepted: (label: string) => string
    already: (answer: { label: string; name: string }) => string
    alreadyReplied: (name: string) => string
    expired: string
    cancelled: string
    notYours: (names: readonly string[]) => string
  }
}

const answered: AskWords['answered'] = ({ label, name, time }) => `✅ ${label} · ${name}, ${time}`
const replied: AskWords['replied'] = ({ name, time }) => `💬 ${name}, ${time}`

const russian: AskWords = {
  replyHint: '↩️ Ответьте на это сообщение.',
  answered,
  replied,
  expired: '⌛ Ответа не было, вопрос закрыт.',
  cancelled: '✖️ Вопрос отозван.',
  toasts: {
    accepted: label => `Ответ принят: ${label}`,
    already: ({ label, name }) => `Уже решено: ${label} · ${name}`,
    alreadyReplied: name => `Уже есть ответ: ${name}`,
    expired: 'Время ответа истекло.',
    cancelled: 'Вопрос отозван.',
    notYours: names => (names.length === 1 ? `Это решает ${names[0]}.` : `Это решают: ${names.join(', ')}.`),
  },
}

const english: AskWords = {
  replyHint: '↩️ Reply to this message.',
  answered,
  replied,
  expired: '⌛ Nobody answered, and the question is closed.',
  cancelled: '✖️ The question was withdrawn.',
  toasts: {
    accepted: label => `Your answer: ${label}`,
    already: ({ label, name }) => `Already decided: ${label} · ${name}`,
    alreadyReplied: name => `Already answered by ${name}`,
    expired: 'The time for an answer is over.',
    cancelled: 'The question was withdrawn.',
    notYours: names => (names.length === 1 ? `That is for ${names[0]} to decide.` : `Deciding: ${names.join(', ')}.`),
  },
}

export const askWordsIn: Readonly<Record<BotLanguage, AskWords>> = { ru: russian, en: english }
