// Posted values in a template: their own fields alone, and their texts in one line.
import { hookLimits } from '@postern/protocol'
import { cleanText, isBlank } from '../texts/clean.ts'
import type { RenderBudget } from './render-budget.ts'
import { templateFault } from './template-fault.ts'

const { jsonDepthMax, keysPerStep, valueUnitsMax } = hookLimits.template

/** A value must not begin a line of its own. */
const lineEnds = /\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g
/** Most texts need no cleaning. */
const toBeCleaned = /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/u
const itemNumber = /^(?:0|[1-9]\d{0,8})$/

const isPosted = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined where `JSON.parse` put no field: neither a prototype nor the length of a list is a field. */
export function ownField(value: unknown, name: string): { value: unknown } | undefined {
  if (Array.isArray(value)) {
    const at = itemNumber.test(name) ? Number(name) : -1
    return at >= 0 && at < value.length ? { value: value[at] as unknown } : undefined
  }
  return isPosted(value) && Object.hasOwn(value, name) ? { value: value[name] } : undefined
}

/** A posted text in one line; other values as they are. */
export function readValue(posted: unknown, budget: RenderBudget): unknown {
  if (typeof posted !== 'string') return posted
  const text = posted.slice(0, valueUnitsMax)
  budget.spendOnChars(text.length)
  return toBeCleaned.test(text) ? cleanText(text.replaceAll(lineEnds, ' ')) : text
}

/** A list and an object have no text. */
export function textOf(value: unknown, budget: RenderBudget): string {
  if (typeof value === 'string') {
    budget.spendOnChars(value.length)
    return value
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Whether `default` replaces it. */
export function isEmpty(value: unknown, budget: RenderBudget): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'string' && isBlank(textOf(value, budget))
}

export const isTrue = (value: unknown, budget: RenderBudget): boolean =>
  !isEmpty(value, budget) && value !== false && value !== 0

export function countOf(value: unknown, budget: RenderBudget): number {
  if (Array.isArray(value)) return value.length
  return isPosted(value) ? keysOf(value, budget).length : 0
}

/** By hand: `JSON.stringify` has no limit of depth. */
export function jsonOf(value: unknown, budget: RenderBudget, depth = 0): string {
  if (depth > jsonDepthMax) throw templateFault(`must not write JSON of more than ${jsonDepthMax} levels`)
  if (Array.isArray(value)) {
    budget.spend(value.length)
    return `[${value.map(item => jsonOf(item, budget, depth + 1)).join(',')}]`
  }
  if (isPosted(value)) {
    const keys = keysOf(value, budget)
    budget.spend(keys.length)
    const fields = keys.map(key => `${jsonText(key, budget)}:${jsonOf(value[key], budget, depth + 1)}`)
    return `{${fields.join(',')}}`
  }
  return typeof value === 'string' ? jsonText(value, budget) : String(value)
}

function keysOf(value: object, budget: RenderBudget): string[] {
  const keys = Object.keys(value)
  budget.spend(Math.floor(keys.length / keysPerStep))
  return keys
}

const jsonText = (text: string, budget: RenderBudget): string => JSON.stringify(readValue(text, budget))
