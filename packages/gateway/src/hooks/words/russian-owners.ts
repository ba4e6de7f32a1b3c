// Messages to the owners of the bot about problems, in Russian. `fact` becomes a line of the message.
import { oneLine } from '../texts/clean.ts'
import { shortened } from '../texts/fit-lines.ts'
import { countedInRussian } from './plural.ts'

const updates = { one: 'обновление', few: 'обновления', many: 'обновлений' }
const refusals = { one: 'отказ', few: 'отказа', many: 'отказов' }

const quoted = (name: string, charsMax: number): string =>
  `«${shortened(oneLine(name), charsMax).replaceAll('«', '„').replaceAll('»', '“')}»`

export type WebhookTrouble = { failures: number; waiting: number }
export type NamedRefusals = { hook: string; chat: string | undefined; count: number; charsMax: number }
export type EndingCertificate = { host: string; ends: string; isExpired: boolean }
export type NoticeText = { title: string; advice?: string }

export const russianOwners = {
  more: (count: number): string => `…и ещё ${count}`,
  webhook: {
    fact: ({ failures, waiting }: WebhookTrouble): string =>
      `Неудачных попыток подряд: ${failures}. Ждёт ${countedInRussian(waiting, updates)}.`,
    begun: {
      title: '⚠️ Вебхук больше 10 минут не принимает обновления.',
      advice: 'Причину показывает GET /v1/webhook.',
    } as NoticeText,
    over: { title: '✅ Проблема с вебхуком закончилась.' } as NoticeText,
  },
  updates: {
    fact: ({ count, hours }: { count: number; hours: number }): string =>
      `Ждёт ${countedInRussian(count, updates)}, самое старое — ${hours} ч.`,
    begun: {
      title: '⚠️ Обновления бота скоро пропадут: их никто не забирает.',
      advice:
        'Бот хранит их 24 часа и не больше 10 000. Проверьте программу, которая их читает. Если такой нет, запустите шлюз с UPDATES=off.',
    } as NoticeText,
    over: { title: '✅ Обновления бота больше не копятся.' } as NoticeText,
  },
  disk: {
    fact: ({ freeMib, percent }: { freeMib: number; percent: number }): string =>
      `Свободно ${freeMib} МиБ, это ${percent} %.`,
    begun: {
      title: '⚠️ Диск с данными бота почти заполнен.',
      advice: 'Без места бот не сможет ни отправлять, ни получать. Освободите место.',
    } as NoticeText,
    over: { title: '✅ На диске с данными бота снова есть место.' } as NoticeText,
  },
  hooks: {
    fact: ({ hook, chat, count, charsMax }: NamedRefusals): string =>
      `${hook}${chat === undefined ? '' : ` (чат ${quoted(chat, charsMax)})`}: ${countedInRussian(count, refusals)} подряд`,
    begun: {
      title: '⚠️ Хук отклоняет своего отправителя:',
      advice: 'Причину показывает GET /v1/hooks.',
    } as NoticeText,
    over: { title: '✅ Больше не отклоняет отправителя или удалён:' } as NoticeText,
  },
  invites: {
    fact: ({ id, expires }: { id: string; expires: string }): string => `${id}: до ${expires} UTC`,
    begun: {
      title: '⚠️ Скоро истечёт ссылка на бота:',
      advice: 'Если она ещё нужна, создайте новую: POST /v1/invites.',
    } as NoticeText,
    over: { title: '☑️ Ссылка на бота истекла или отозвана:' } as NoticeText,
  },
  certificates: {
    fact: ({ host, ends, isExpired }: EndingCertificate): string =>
      `${host}: ${isExpired ? 'истёк' : 'истекает'} ${ends} UTC`,
    begun: {
      title: '⚠️ Не обновлён сертификат адреса, от которого зависит бот:',
      advice: 'Обновите его и выясните, почему этого не произошло автоматически.',
    } as NoticeText,
    over: { title: '✅ Сертификат обновлён, или адрес больше не используется. Прежний:' } as NoticeText,
  },
}

export type OwnerWords = typeof russianOwners
