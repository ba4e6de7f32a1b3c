// The texts of the list of groups in which the person has asked for a place.
import { inLanguages } from '../i18n/language.ts'

export const askedWords = inLanguages({
  en: {
    asked: 'Your requests to join',
    by: (name: string) => `Link by ${name}`,
    waiting: 'waiting',
    declined: 'declined',
    forget: 'Remove',
    forgetAsk: 'Remove this request from the list?',
    forgetText: 'The admin still has it. If you are added, the app asks you first.',
  },
  ru: {
    asked: 'Ваши заявки',
    by: (name: string) => `Ссылка: ${name}`,
    waiting: 'ждёт ответа',
    declined: 'отклонена',
    forget: 'Убрать',
    forgetAsk: 'Убрать заявку из списка?',
    forgetText: 'У администратора она останется. Если вас добавят, приложение сначала спросит вас.',
  },
})
