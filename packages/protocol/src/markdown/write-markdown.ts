// Writes a text with entities as Markdown, so that a person can edit it. Reading it again gives the same text.
import { entityEnd, fittingEntities, type TextEntity } from '../rules/entities.ts'
import type { FormattedText } from './marks.ts'
import { parseMarkdown } from './parse-markdown.ts'

/** Formatting that Markdown cannot express is left out; the text is always the same. */
export function writeMarkdown({ text, entities }: FormattedText): string {
  const fitting = fittingEntities(text, entities)
  const attempts = fitting.length === 0 ? [text] : [written(text, fitting)]
  return attempts.find(source => isReadAs(source, { text, entities: fitting })) ?? escaped(text)
}

function isReadAs(source: string, expected: FormattedText): boolean {
  const { text, entities } = parseMarkdown(source)
  return text === expected.text && JSON.stringify(entities) === JSON.stringify(expected.entities)
}

type Boundary = { at: number; mark: string }

function written(text: string, entities: readonly TextEntity[]): string {
  const isWithin = (span: { from: number; to: number }, ...types: TextEntity['type'][]): boolean =>
    entities.some(one => types.includes(one.type) && one.offset <= span.from && span.to <= entityEnd(one))
  let source = ''
  let at = 0
  for (const boundary of [...boundariesOf(text, entities), { at: text.length, mark: '' }]) {
    const span = { from: at, to: boundary.at }
    const part = text.slice(span.from, span.to)
    const line = { isStart: /(^|\n|\n?> )$/.test(source), isBeforeMark: boundary.mark !== '' }
    const words = isWithin(span, 'code', 'pre') ? part : escaped(part, line)
    source += isWithin(span, 'quote') ? words.replaceAll('\n', '\n> ') : words
    source += boundary.mark
    at = boundary.at
  }
  return source
}

/** Every mark and its place, in the order of the text. */
function boundariesOf(text: string, entities: readonly TextEntity[]): Boundary[] {
  const boundaries: Boundary[] = []
  const open: Boundary[] = []
  const closeUpTo = (at: number): void => {
    while ((open.at(-1)?.at ?? Infinity) <= at) boundaries.push(open.pop() as Boundary)
  }
  for (const entity of entities) {
    closeUpTo(entity.offset)
    const [opening, closing] = marksOf(entity, text.slice(entity.offset, entityEnd(entity)))
    boundaries.push({ at: entity.offset, mark: opening })
    open.push({ at: entityEnd(entity), mark: closing })
  }
  closeUpTo(text.length)
  return boundaries
}

function marksOf({ type, url, lang }: TextEntity, text: string): [opening: string, closing: string] {
  switch (type) {
    case 'bold':
      return ['**', '**']
    case 'italic':
      return ['_', '_']
    case 'strike':
      return ['~~', '~~']
    case 'spoiler':
      return ['||', '||']
    case 'link':
      return ['[', `](${url ?? ''})`]
    case 'quote':
      return ['> ', '']
    case 'pre': {
      const ticks = '`'.repeat(Math.max(3, longestTicks(text) + 1))
      return [`${ticks}${lang ?? ''}\n`, `\n${ticks}`]
    }
    case 'code': {
      const ticks = '`'.repeat(longestTicks(text) + 1)
      const space = /^`|`$|^ .* $/s.test(text) ? ' ' : ''
      return [`${ticks}${space}`, `${space}${ticks}`]
    }
  }
}

const longestTicks = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map(run => run.length))

type PartPlace = { isStart: boolean; isBeforeMark: boolean }

/** Backslashes count in front of a mark only, so only those are doubled. */
function escaped(text: string, { isStart, isBeforeMark }: PartPlace = { isStart: true, isBeforeMark: false }): string {
  const quotes = text.replaceAll(isStart ? /(^|\n)(\\*)>/g : /(\n)(\\*)>/g, '$1$2$2\\>')
  // An underscore within a word is no mark.
  const signs = quotes.replaceAll(/(\\*)([`*~|[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}]))/gu, String.raw`$1$1\$2`)
  return isBeforeMark ? signs.replace(/\\+$/, '$&$&') : signs
}
