// The bot's texts for people who manage hooks in a chat.
import { type CreatedHook, type Hook, hookFormat } from '@postern/bot-api'
import { type AccountId, commandArgsFault, hookLimits } from '@postern/protocol'
import type { Command } from '@postern/protocol/content'
import { oneLine } from '../texts/clean.ts'
import { shortened } from '../texts/fit-lines.ts'
import { counted } from '../texts/plural.ts'

const BETWEEN = ' | '
const MORE = '…'

/** As many names as a command may show: with one name too many, the bot could not declare its commands. */
export function shownChoices(names: readonly string[]): string {
  const fits = (text: string): boolean => commandArgsFault(text) === undefined
  if (fits(names.join(BETWEEN))) return names.join(BETWEEN)
  const count = names.findLastIndex((_, last) => fits([...names.slice(0, last + 1), MORE].join(BETWEEN)))
  return [...names.slice(0, count + 1), MORE].join(BETWEEN)
}

/** The commands that people see in the bot's list. `/hook` without a format answers with all formats. */
export const hookCommands: Command[] = [
  { name: 'hook', description: 'Создать хук для этого чата', args: shownChoices(hookFormat.options) },
  { name: 'hooks', description: 'Показать хуки этого чата' },
  { name: 'unhook', description: 'Удалить хук', args: 'id' },
]

/** By hand: the tables of `Intl.ListFormat` would cost every start 70 ms and 5 MiB. */
const oneOf = (choices: readonly string[]): string =>
  [choices.slice(0, -1).join(', '), ...choices.slice(-1)].filter(text => text !== '').join(' или ')

const formats = oneOf(hookFormat.options.map(name => `/hook ${name}`))

/** Quotation marks inside become inner ones. */
const quoted = (text: string, charsMax: number): string =>
  `«${shortened(oneLine(text), charsMax).replaceAll('«', '„').replaceAll('»', '“')}»`

const minutes = (ms: number): string => counted(ms / 60_000, { one: 'минуту', few: 'минуты', many: 'минут' })

const addressText = ({ id, url }: CreatedHook): string =>
  `${url}\n\nКто знает этот адрес, может писать в чат от имени бота: храните его как пароль. Второй раз бот его не покажет.\nБот сотрёт это сообщение через ${minutes(hookLimits.addressAfterReadMs)} после того, как вы его прочтёте, и не позже чем через сутки: сохраните адрес сейчас.\nУдалить хук: /unhook ${id}`

export const createdText = (hook: CreatedHook): string =>
  `Хук ${hook.id} (${hook.format}) для этого чата создан. Его адрес:\n${addressText(hook)}`

export const createdForGroupText = (hook: CreatedHook, title: string): string =>
  `Хук ${hook.id} (${hook.format}) для группы ${quoted(title, hookLimits.commandTitleCharsMax)} создан. Его адрес:\n${addressText(hook)}`

export const createdInGroupText = ({ id, format }: CreatedHook): string =>
  `Хук ${id} (${format}) для этой группы создан. Его адрес отправлен владельцу в личный чат.`

export const notReachedText =
  'Хук не создан: его адрес не удалось отправить вам в личный чат. Напишите боту лично, а затем повторите команду здесь.'

export const formatMissingText = `Укажите формат: ${formats}.`

export const formatUnknownText = (word: string): string =>
  `Формата ${quoted(word, hookLimits.commandWordCharsMax)} нет. Используйте ${formats}.`

export const idMissingText = 'Укажите идентификатор хука: /unhook <id>. Список хуков: /hooks.'

export const idUnknownText = (word: string): string =>
  `Хука ${quoted(word, hookLimits.commandWordCharsMax)} нет. Список хуков этого чата: /hooks.`

export const removedText = (id: string): string => `Хук ${id} удалён, его адрес больше не работает.`

export const tooManyText = `Уже создано ${counted(hookLimits.hooksMax, {
  one: 'хук',
  few: 'хука',
  many: 'хуков',
})}, больше нельзя. Удалите ненужные: /unhook <id>.`

export function listText(hooks: readonly Hook[]): string {
  if (hooks.length === 0) return `В этом чате хуков нет. Создать: ${formats}.`
  const lines = hooks.map(({ id, format, ts }) => `${id}: ${format}, создан ${dayOf(ts)}`)
  return ['Хуки этого чата:', ...lines, 'Удалить: /unhook <id>'].join('\n')
}

const dayOf = (ts: number): string => new Date(ts).toISOString().slice(0, 10).split('-').toReversed().join('.')

export const strangerText = (account: AccountId): string =>
  `Управлять хуками могут только владельцы бота.\nИдентификатор вашего аккаунта: ${account}\nЧтобы стать владельцем, попросите администратора бота добавить этот идентификатор в BOT_OWNERS.`
