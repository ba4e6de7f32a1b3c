// Reads what is between {{ and }}: a value with filters, or the beginning, middle or end of a block.
import { hookLimits } from '@postern/protocol'
import type { FilterArgument } from './filters.ts'
import type { TemplatePath } from './template.ts'

const { itemsMax } = hookLimits.template

type BlockName = 'if' | 'unless' | 'each'
/** `at`: its place in the tag. */
type ReadFilter = { name: string; argument: FilterArgument; at: number }

export type ReadTag =
  | { kind: 'value'; path: TemplatePath; filters: ReadFilter[] }
  | { kind: 'open'; block: BlockName; path: TemplatePath; limit: number | undefined }
  | { kind: 'else' }
  | { kind: 'close'; block: string }

export type TagFault = { fault: string; at: number }

type Token = { kind: 'path' | 'text' | 'block' | 'sign'; text: string; at: number }

/** Each alternative begins with another character, so nothing is tried twice.. */
const token =
  /(?<space>\s+)|"(?<text>[^"]*)"|(?<block>[#/][a-z]+)|(?<path>@?[\p{L}\p{N}\p{M}_$-]+(?:\.[\p{L}\p{N}\p{M}_$-]+)*)|(?<sign>[|:])/uy

const PATH_RULE = 'must have a path here, as in alert.name'

export function readTag(inside: string): ReadTag | TagFault {
  const tokens = tokensOf(inside)
  if (!Array.isArray(tokens)) return tokens
  const [first, ...rest] = tokens
  if (!first) return { fault: PATH_RULE, at: 0 }
  if (first.kind === 'block') return readBlock(first, rest)
  if (first.kind === 'path' && first.text === 'else' && rest.length === 0) return { kind: 'else' }
  return readValue(first, rest)
}

function tokensOf(inside: string): Token[] | TagFault {
  const tokens: Token[] = []
  for (let at = 0; at < inside.length; at = token.lastIndex) {
    token.lastIndex = at
    const groups = token.exec(inside)?.groups
    if (!groups) return { fault: 'this character has no meaning here', at }
    const [kind, text = ''] = Object.entries(groups).find(([, found]) => found !== undefined) ?? []
    if (kind !== undefined && kind !== 'space') tokens.push({ kind: kind as Token['kind'], text, at })
  }
  return tokens
}

const blocks: readonly string[] = ['if', 'unless', 'each'] satisfies BlockName[]

function readBlock({ text, at }: Token, [first, ...rest]: Token[]): ReadTag | TagFault {
  const name = text.slice(1)
  if (!blocks.includes(name)) return { fault: `a block must be one of ${blocks.join(', ')}`, at }
  if (text.startsWith('/')) return first ? tooMuch(first) : { kind: 'close', block: name }
  const path = pathOf(first)
  if (!path) return { fault: PATH_RULE, at: first?.at ?? at }
  const open = { kind: 'open' as const, block: name as BlockName, path }
  const [word, colon, count, more] = rest
  if (!word) return { ...open, limit: undefined }
  if (name !== 'each' || word.text !== 'limit' || colon?.text !== ':') return tooMuch(word)
  const limit = wholeNumber(count)
  if (limit === undefined || limit < 1 || limit > itemsMax)
    return { fault: `limit must have a number from 1 to ${itemsMax}, as in limit:10`, at: word.at }
  return more ? tooMuch(more) : { ...open, limit }
}

function readValue(first: Token, rest: Token[]): ReadTag | TagFault {
  const path = pathOf(first)
  if (!path) return { fault: PATH_RULE, at: first.at }
  const filters: ReadFilter[] = []
  for (let next = 0; next < rest.length; ) {
    const [bar, name, colon, argument] = rest.slice(next, next + 4)
    if (bar && (bar.kind !== 'sign' || bar.text !== '|')) return tooMuch(bar)
    if (name?.kind !== 'path')
      return { fault: 'must have a filter after |, as in | cut:80', at: (name ?? bar ?? first).at }
    const hasArgument = colon?.kind === 'sign' && colon.text === ':'
    const value = hasArgument ? argumentOf(argument) : undefined
    if (hasArgument && value === undefined)
      return { fault: 'must have a number or a text in quotes after :', at: colon.at }
    filters.push({ name: name.text, argument: value, at: name.at })
    next += hasArgument ? 4 : 2
  }
  return { kind: 'value', path, filters }
}

const tooMuch = ({ at }: Token): TagFault => ({ fault: 'this must not be here', at })

function pathOf(found: Token | undefined): TemplatePath | undefined {
  if (found?.kind !== 'path') return undefined
  if (found.text === '@index') return { kind: 'index' }
  if (found.text === '@rest') return { kind: 'rest' }
  return found.text.startsWith('@') ? undefined : { kind: 'names', names: found.text.split('.') }
}

function argumentOf(found: Token | undefined): FilterArgument {
  return found?.kind === 'text' ? found.text : wholeNumber(found)
}

const wholeNumber = (found: Token | undefined): number | undefined =>
  found?.kind === 'path' && /^\d{1,9}$/.test(found.text) ? Number(found.text) : undefined
