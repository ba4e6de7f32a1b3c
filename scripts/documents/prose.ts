// Splits Markdown and comments into paragraphs and sentences, and finds the phrases that this project no longer writes.
import { parseSync } from 'oxc-parser'
import { parseMarkdown } from './markdown.ts'

/** Lines of one paragraph, one list item or one comment, as they are in the source. */
export interface Paragraph {
  readonly firstLine: number
  readonly lines: readonly string[]
}

interface Idiom {
  readonly name: string
  readonly pattern: RegExp
  /** What to write in its place. */
  readonly instead: string
}

const beginning = String.raw`(?:^|[.!?:;]["')*_]*\s+)`

/** A sentence counts once for each of them that it matches. */
export const idioms: readonly Idiom[] = [
  {
    name: 'headless clause after a preposition, or "whoever"',
    pattern:
      /\b(?:for|to|of|by|from|with|than) (?:who|what|whatever)\b(?! (?:kind|size|length|extent|degree)\b)|\bwho(?:m)?ever\b/i,
    instead: 'name the actor or the thing: "a client that …", "the file that …"',
  },
  {
    name: 'headless clause as a subject',
    pattern: new RegExp(`${beginning}(?:Who|Whom|Whatever|What)\\s(?!to\\b)[^?]*?(?:[^?\\s]$|[.,;:](?:\\s|$))`),
    instead: 'name the actor or the thing: "A client that …", "The file that …"',
  },
  {
    name: 'is told, is said, is heard',
    pattern:
      /\b(?:is|are|was|were|be|been|being) (?:also |not |only |never )?(?:told|said to|said of|said by|heard)\b/i,
    instead: '"receives", "is notified", "learns"',
  },
  {
    name: 'fronted "Of …"',
    pattern: new RegExp(`${beginning}Of (?!course\\b)`),
    instead: 'subject, verb, object',
  },
  {
    name: '"stands" or "lies" for "is"',
    pattern: /\b(?:stands?|stood|lies|lay) (?:in|on|at|there|beside|behind|where|before|above|below|for nothing|as)\b/i,
    instead: '"is", "is in", "is stored in"',
  },
  {
    name: '"so many"',
    pattern: /\b(?:only|exactly|at most|just) so (?:many|much|long)\b|\bso many\b(?! [^.,;]* that\b)/i,
    instead: '"at most N", "a limited number"',
  },
  {
    name: '"anew", "at once", "by itself"',
    pattern: /\b(?:anew|at once|by (?:itself|themselves|oneself))\b/i,
    instead: '"again"; "immediately", "in one step"; "automatically"',
  },
  {
    name: '"goes on"',
    pattern: /\b(?:go|goes|went|going) on\b(?! (?:sale|strike|holiday))/i,
    instead: '"continues", "resumes"',
  },
]

/** Idioms of a text without its code spans: a quotation from code is not prose. */
export const idiomsIn = (text: string): Idiom[] => {
  const plain = text.replaceAll(/(`+).+?\1(?!`)/g, '`')
  return idioms.filter(({ pattern }) => pattern.test(plain))
}

export const textOf = ({ lines }: Paragraph): string =>
  lines
    .map(line => line.trim())
    .join(' ')
    .trim()

export const wordsIn = (text: string): number => text.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length

export const sentencesOf = (text: string): string[] =>
  text.split(/(?<=[.!?]["')*_`]*)\s+(?=[\p{Lu}`*"'([])/u).filter(sentence => wordsIn(sentence) > 1)

const isNoProse = /^\s*(?:#|\||<!--|<\/?[a-z]|!\[|\[[^\]]+\]:|[-=]{3,}\s*$|$)/
const beginsItem = /^\s*(?:[-*+]|\d+[.)])\s/

/** Headings, tables, comments and link definitions are left out. */
export function paragraphsOf(markdown: string): Paragraph[] {
  const paragraphs: { firstLine: number; lines: string[] }[] = []
  let lastNumber = -1
  for (const { number, text } of parseMarkdown(markdown).prose) {
    if (isNoProse.test(text)) continue
    if (number !== lastNumber + 1 || beginsItem.test(text)) paragraphs.push({ firstLine: number, lines: [] })
    paragraphs.at(-1)?.lines.push(text)
    lastNumber = number
  }
  return paragraphs
}

export const isSource = (path: string): boolean => /\.(?:ts|tsx|mjs|cjs)$/.test(path)

/** Line comments that follow one another are one paragraph. */
export function commentsOf(path: string, source: string): Paragraph[] {
  const paragraphs: { firstLine: number; lines: string[] }[] = []
  let lastLine = -1
  for (const { type, value, start } of parseSync(path, source).comments) {
    const firstLine = source.slice(0, start).split('\n').length
    const lines = value.split('\n').map(line => line.replace(/^\s*\*?\s?/, '').trim())
    if (/^\s*(?:oxlint|biome|@vitest|@ts)-?/.test(value)) continue
    if (type === 'Line' && firstLine === lastLine + 1) paragraphs.at(-1)?.lines.push(...lines)
    else paragraphs.push({ firstLine, lines })
    lastLine = type === 'Line' ? firstLine : -1
  }
  return paragraphs
}
