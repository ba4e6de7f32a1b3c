// The words of notifications, for pages and for the service worker, which has no language of its own.
import type { Settings } from '../contract/settings.ts'

type NotificationWords = {
  newMessage: string
  newMessages: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
  mention: string
  asksToJoin: string
  renew: string
}

const all: Record<'en' | 'ru', NotificationWords> = {
  en: {
    newMessage: 'New message',
    newMessages: { one: '# new message', other: '# new messages' },
    mention: 'You were mentioned',
    asksToJoin: 'Somebody asks to join',
    renew: 'Open Postern to keep receiving notifications',
  },
  ru: {
    newMessage: 'Новое сообщение',
    newMessages: { one: '# новое сообщение', few: '# новых сообщения', other: '# новых сообщений' },
    mention: 'Вас упомянули',
    asksToJoin: 'Кто-то просится в группу',
    renew: 'Откройте Postern, чтобы получать уведомления и дальше',
  },
}

export type NotificationTexts = Omit<NotificationWords, 'newMessage' | 'newMessages'> & {
  newMessages(count: number): string
  lang: string
}

export function notificationWords(language: Settings['language']): NotificationTexts {
  const preferred = navigator.language.toLowerCase().startsWith('ru') ? 'ru' : 'en'
  const lang = language === 'auto' ? preferred : language
  const { newMessage, newMessages, ...others } = all[lang]
  const form = (count: number) => newMessages[new Intl.PluralRules(lang).select(count)] ?? newMessages.other
  return {
    newMessages: count => (count === 1 ? newMessage : form(count).replace('#', String(count))),
    ...others,
    lang,
  }
}
