// The gateway's own texts in Russian, the language of the specification. `english.ts` has the same entries.
import type { CreatedHook, Hook } from '@postern/bot-api'
import { type AccountId, hookLimits } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import { shortened, type TextLine } from '../texts/fit-lines.ts'
import { formatChoices, hookKind } from './choices.ts'
import { countedInRussian } from './plural.ts'
import { russianLiving } from './russian-living.ts'
import { russianOwners } from './russian-owners.ts'
import { russianSenders } from './russian-senders.ts'

/** How many alerts fire, and how many are resolved: at least one of either. */
export type AlertCounts = { firing: number; resolved: number }

const alertCount = (count: number): string =>
  countedInRussian(count, { one: 'срабатывание', few: 'срабатывания', many: 'срабатываний' })

const alertStates = ({ firing, resolved }: AlertCounts): string =>
  [...(firing > 0 ? [alertCount(firing)] : []), ...(resolved > 0 ? [`устранено: ${resolved}`] : [])].join(', ')

const alertsWords = {
  count: alertCount,
  resolvedTitle: (name: string): string => `✅ Устранено: ${name}`,
  states: alertStates,
  more: (rest: AlertCounts): string => `…и ещё ${alertStates(rest)}`,
  moreNames: (names: string, count: number): string => `${names} и ещё ${count}`,
  unnamed: 'Без названия',
  undescribed: 'без описания',
}

const pipelineWords = {
  failed: (project: string): TextLine => ({ text: `❌ Пайплайн упал: ${project}` }),
  canceled: (project: string): TextLine => ({ text: `🚫 Пайплайн отменён: ${project}` }),
  fixed: (project: string): TextLine => ({ text: `✅ Исправлено: ${project}`, tail: ', пайплайн снова проходит' }),
  unnamed: 'проект без названия',
  tag: (name: string): string => `Тег: ${name}`,
  branch: (name: string): string => `Ветка: ${name}`,
  mergeRequest: (number: string, title: string): string => `Мерж-реквест: !${number}${title && ` ${title}`}`,
  commit: (commit: string): string => `Коммит: ${commit}`,
  author: (name: string): string => `Автор: ${name}`,
  failedJobs: (names: readonly string[]): string =>
    `${names.length === 1 ? 'Упало задание' : 'Упали задания'}: ${names.join(', ')}`,
}

/** The text beside each command in the bot's list. */
const descriptionWords = {
  hook: 'Создать хук для этого чата',
  hooks: 'Показать хуки этого чата',
  unhook: 'Удалить хук',
}

const formats = formatChoices('или')

/** Quotation marks inside become inner ones. */
const quoted = (text: string, charsMax: number): string =>
  `«${shortened(oneLine(text), charsMax).replaceAll('«', '„').replaceAll('»', '“')}»`

const minutes = (ms: number): string => countedInRussian(ms / 60_000, { one: 'минуту', few: 'минуты', many: 'минут' })

const addressText = ({ id, url }: CreatedHook): string =>
  `${url}\n\nКто знает этот адрес, может писать в чат от имени бота: храните его как пароль. Второй раз бот его не покажет.\nБот сотрёт это сообщение через ${minutes(hookLimits.addressAfterReadMs)} после того, как вы его прочтёте, и не позже чем через сутки: сохраните адрес сейчас.\nУдалить хук: /unhook ${id}`

const dayOf = (ts: number): string => new Date(ts).toISOString().slice(0, 10).split('-').toReversed().join('.')

const answerWords = {
  created: (hook: CreatedHook): string =>
    `Хук ${hook.id} (${hookKind(hook)}) для этого чата создан. Его адрес:\n${addressText(hook)}`,
  createdForGroup: (hook: CreatedHook, title: string): string =>
    `Хук ${hook.id} (${hookKind(hook)}) для группы ${quoted(title, hookLimits.commandTitleCharsMax)} создан. Его адрес:\n${addressText(hook)}`,
  createdInGroup: (hook: CreatedHook): string =>
    `Хук ${hook.id} (${hookKind(hook)}) для этой группы создан. Его адрес отправлен владельцу в личный чат.`,
  notReached:
    'Хук не создан: его адрес не удалось отправить вам в личный чат. Напишите боту лично, а затем повторите команду здесь.',
  formatMissing: `Укажите формат: ${formats}.`,
  formatUnknown: (word: string): string =>
    `Формата ${quoted(word, hookLimits.commandWordCharsMax)} нет. Используйте ${formats}.`,
  templateByApi:
    'Хук с шаблоном создаётся через API, потому что шаблон не помещается в команду: POST /v1/hooks с полями format и template.',
  idMissing: 'Укажите идентификатор хука: /unhook <id>. Список хуков: /hooks.',
  idUnknown: (word: string): string =>
    `Хука ${quoted(word, hookLimits.commandWordCharsMax)} нет. Список хуков этого чата: /hooks.`,
  removed: (id: string): string => `Хук ${id} удалён, его адрес больше не работает.`,
  tooMany: `Уже создано ${countedInRussian(hookLimits.hooksMax, {
    one: 'хук',
    few: 'хука',
    many: 'хуков',
  })}, больше нельзя. Удалите ненужные: /unhook <id>.`,
  list: (hooks: readonly Hook[]): string => {
    if (hooks.length === 0) return `В этом чате хуков нет. Создать: ${formats}.`
    const lines = hooks.map(hook => `${hook.id}: ${hookKind(hook)}, создан ${dayOf(hook.ts)}`)
    return ['Хуки этого чата:', ...lines, 'Удалить: /unhook <id>'].join('\n')
  },
  stranger: (account: AccountId): string =>
    `Управлять хуками могут только владельцы бота.\nИдентификатор вашего аккаунта: ${account}\nЧтобы стать владельцем, попросите администратора бота добавить этот идентификатор в BOT_OWNERS.`,
}

export const russian = {
  alerts: alertsWords,
  pipeline: pipelineWords,
  ...russianSenders,
  living: russianLiving,
  owners: russianOwners,
  descriptions: descriptionWords,
  answers: answerWords,
}

/** Every text that the gateway writes of its own. A language that lacks one does not compile. */
export type GatewayWords = typeof russian
