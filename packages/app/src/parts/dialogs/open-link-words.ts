// The texts before a bot's link is opened: fetched with the question.
import { inLanguages } from '../../i18n/language.ts'

export const openLinkWords = inLanguages({
  en: {
    badLink: 'This link cannot be opened.',
    copyAddress: 'Copy link',
    open: 'Open',
    openLink: 'Open this link?',
    leadsTo: 'This link leads to a page outside Postern:',
    theBot: 'The bot',
    wantsToOpen: 'wants to open a page outside Postern:',
  },
  ru: {
    badLink: 'Этот адрес открыть нельзя.',
    copyAddress: 'Скопировать адрес',
    open: 'Открыть',
    openLink: 'Открыть ссылку?',
    leadsTo: 'Ссылка ведёт на страницу вне Postern:',
    theBot: 'Бот',
    wantsToOpen: 'хочет открыть страницу вне Postern:',
  },
})
