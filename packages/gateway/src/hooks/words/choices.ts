// Parts of texts that are the same in every language: the formats that can be chosen, and the kind of a hook.
import { type Hook, type HookFormat, hookFormat } from '@postern/bot-api'
import { commandArgsFault } from '@postern/protocol'

const BETWEEN = ' | '
const MORE = '…'

/** As many names as a command may show: with one name too many, the bot could not declare its commands. */
export function shownChoices(names: readonly string[]): string {
  const fits = (text: string): boolean => commandArgsFault(text) === undefined
  if (fits(names.join(BETWEEN))) return names.join(BETWEEN)
  const count = names.findLastIndex((_, last) => fits([...names.slice(0, last + 1), MORE].join(BETWEEN)))
  return [...names.slice(0, count + 1), MORE].join(BETWEEN)
}

/** Without `template`: no command line carries one. */
export const chatFormats: readonly HookFormat[] = hookFormat.options.filter(name => name !== 'template')

/** By hand: the tables of `Intl.ListFormat` would cost every start 70 ms and 5 MiB. */
export function formatChoices(or: string): string {
  const choices = chatFormats.map(name => `/hook ${name}`)
  return [choices.slice(0, -1).join(', '), ...choices.slice(-1)].filter(text => text !== '').join(` ${or} `)
}

/** Its format, with its own language, `silent` and `living` if it has them: the words with which it was created. */
export const hookKind = ({
  format,
  lang,
  silent,
  options,
}: Pick<Hook, 'format' | 'lang' | 'silent' | 'options'>): string =>
  [format, ...(lang ? [lang] : []), ...(silent ? ['silent'] : []), ...(options?.living ? ['living'] : [])].join(', ')
