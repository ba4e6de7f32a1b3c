// The filters of templates. Each is made once, with its argument checked, and is pure.
import { type Fault, hookLimits } from '@postern/protocol'
import { cutAfter } from '../texts/split.ts'
import type { TemplateFilter } from './template.ts'
import { countOf, isEmpty, jsonOf, readValue, textOf } from './values.ts'

/** A number or a text in quotes behind the name, if there is one. */
export type FilterArgument = number | string | undefined

const { outputCharsMax } = hookLimits.template

type Made = TemplateFilter | Exclude<Fault, undefined>

const plain =
  (filter: TemplateFilter) =>
  (argument: FilterArgument): Made =>
    argument === undefined ? filter : 'this filter must have no argument'

const onText = (change: (text: string) => unknown) => plain((value, budget) => change(textOf(value, budget)))

const makers = {
  cut: (chars: FilterArgument): Made =>
    typeof chars === 'number' && chars >= 1 && chars <= outputCharsMax
      ? (value, budget) => cut(textOf(value, budget), chars)
      : `cut must have a number from 1 to ${outputCharsMax}, as in cut:80`,
  default: (text: FilterArgument): Made =>
    typeof text === 'string'
      ? (value, budget) => (isEmpty(value, budget) ? text : value)
      : 'default must have a text in quotes, as in default:"0"',
  map: makeMap,
  upper: onText(text => text.toUpperCase()),
  lower: onText(text => text.toLowerCase()),
  trim: onText(text => text.trim()),
  date: plain((value, budget) => dateOf(value) ?? textOf(value, budget)),
  count: plain(countOf),
  join: makeJoin,
  json: plain((value, budget) => (value === undefined ? '' : jsonOf(value, budget))),
  plural: makePlural,
} satisfies Record<string, (argument: FilterArgument) => Made>

/** The filter, or the rule that its name or argument breaks. */
export function makeFilter(name: string, argument: FilterArgument): Made {
  if (!Object.hasOwn(makers, name)) return `a filter must be one of ${Object.keys(makers).join(', ')}`
  return makers[name as keyof typeof makers](argument)
}

/** Reads no more of the text than it keeps. */
const cut = (text: string, chars: number): string =>
  cutAfter(text, chars) === text.length ? text : `${text.slice(0, cutAfter(text, chars - 1)).trimEnd()}…`

/** A value without a pair stays. */
function makeMap(argument: FilterArgument): Made {
  const pairs = typeof argument === 'string' ? argument.split(',') : ['']
  if (pairs.some(pair => !pair.includes('='))) return 'map must have pairs in quotes, as in map:"firing=🔥,resolved=✅"'
  const shown = new Map(
    pairs.map(pair => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
  return (value, budget) => shown.get(textOf(value, budget)) ?? value
}

function makeJoin(argument: FilterArgument): Made {
  if (typeof argument === 'number') return 'join must have a text in quotes, as in join:", "'
  const between = argument ?? ', '
  return (value, budget) => {
    if (!Array.isArray(value)) return value
    budget.spend(value.length)
    const texts = value.map(item => textOf(readValue(item, budget), budget)).filter(text => text !== '')
    budget.spendOnChars(texts.length * between.length)
    return texts.join(between)
  }
}

const english = new Intl.PluralRules('en')
const russian = new Intl.PluralRules('ru')

/** Two forms follow English, three Russian: the rules of the message's words, not of the gateway's language. */
function makePlural(argument: FilterArgument): Made {
  const forms = typeof argument === 'string' ? argument.split(',') : []
  if (forms.length !== 2 && forms.length !== 3)
    return 'plural must have two or three forms in quotes, as in plural:"alert,alerts"'
  const [one = '', few = '', many = few] = forms
  const rules = forms.length === 2 ? english : russian
  return (value, budget) => {
    const text = textOf(value, budget)
    const count = text === '' ? 0 : Number(text)
    const rule = Number.isFinite(count) ? rules.select(Math.abs(count)) : 'many'
    if (rule === 'one') return one
    return rule === 'many' ? many : few
  }
}

const isoTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/
/** Later seconds would be after the year 5000, and earlier milliseconds before 1973. */
const MILLISECONDS_FROM = 1e11
const LAST_MS = 253_402_300_799_999

/** `2026-11-18 21:53 UTC`, of a time in ISO form or since 1970; undefined for anything else. */
function dateOf(value: unknown): string | undefined {
  const ms = typeof value === 'number' ? sinceEpochMs(value) : isoMs(value)
  if (ms === undefined || !(ms >= 0 && ms <= LAST_MS)) return undefined
  const [day = '', time = ''] = new Date(ms).toISOString().split('T')
  return `${day} ${time.slice(0, 5)} UTC`
}

const sinceEpochMs = (value: number): number => (value < MILLISECONDS_FROM ? value * 1000 : value)

function isoMs(value: unknown): number | undefined {
  const [, day, time = '00:00', zone = 'Z'] = (typeof value === 'string' && isoTime.exec(value)) || []
  return day === undefined ? undefined : Date.parse(`${day}T${time}:00${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`)
}
