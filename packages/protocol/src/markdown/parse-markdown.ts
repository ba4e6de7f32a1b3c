// Reads Markdown line by line: blocks of code, quotes, and paragraphs. Every text is Markdown; an unclosed mark stays a sign.
import { langFault } from '../rules/entities.ts'
import { Marks } from './marks.ts'
import { parseInline } from './parse-inline.ts'

type Line = { from: number; to: number; text: string }

export function parseMarkdown(source: string): ReturnType<Marks['result']> {
  const marks = new Marks(source)
  const lines = linesOf(source)
  const fences = new Fences(lines)
  let paragraph: Line[] = []
  const endParagraph = (): void => {
    inline(marks, paragraph)
    paragraph = []
  }
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as Line
    const quoted = quotedFrom(lines, at)
    const end = codeBlock(marks, { lines, at, fences }) ?? (quote(marks, quoted) ? at + quoted.length : undefined)
    if (end !== undefined || isBlank(line.text)) endParagraph()
    else for (const each of quoted.length > 0 ? quoted : [line]) paragraph.push(each)
    // A run of lines that is no quote contains none either, so each line is read once.
    at = end ?? at + Math.max(quoted.length, 1)
  }
  endParagraph()
  return marks.result()
}

function linesOf(source: string): Line[] {
  let from = 0
  return source.split('\n').map(text => {
    const line = { from, to: from + text.length, text }
    from = line.to + 1
    return line
  })
}

const isBlank = (text: string): boolean => text.trim() === ''

/** The lines with the mark of a quote, from this one on. */
function quotedFrom(lines: readonly Line[], first: number): Line[] {
  let end = first
  while (lines[end]?.text.startsWith('>')) end++
  return lines.slice(first, end)
}

/** Says whether these lines are a quote. */
function quote(marks: Marks, lines: readonly Line[]): boolean {
  const quoted = lines.map(({ from, to, text }) => {
    const prefix = text[1] === ' ' ? 2 : 1
    return { mark: { from, to: from + prefix }, line: { from: from + prefix, to, text: text.slice(prefix) } }
  })
  const [{ mark } = { mark: undefined }] = quoted
  const last = quoted.at(-1)?.line
  if (!mark || !last || quoted.every(({ line }) => isBlank(line.text))) return false
  const span = { from: mark.to, to: last.to }
  if (!marks.add({ type: 'quote', ...span }, ...quoted.map(each => each.mark))) return false
  let paragraph: Line[] = []
  for (const { line } of [...quoted, { line: { from: 0, to: 0, text: '' } }]) {
    if (!isBlank(line.text)) paragraph.push(line)
    else {
      inline(marks, paragraph)
      paragraph = []
    }
  }
  return true
}

function inline(marks: Marks, paragraph: readonly Line[]): void {
  const [first] = paragraph
  const last = paragraph.at(-1)
  if (first && last) parseInline(marks, { from: first.from, to: last.to })
}

const fence = /^[ \t]*(`{3,})([^`]*)$/

/** The block of code that begins in this line: returns the line after it. */
function codeBlock(
  marks: Marks,
  { lines, at, fences }: { lines: Line[]; at: number; fences: Fences },
): number | undefined {
  const line = lines[at] as Line
  const [, ticks = '', info = ''] = fence.exec(line.text) ?? []
  const lang = info.trim()
  if (ticks === '' || (lang !== '' && langFault(lang) !== undefined)) return undefined
  const end = fences.closing(at, ticks.length)
  const [first, last, closing] = [lines[at + 1], lines[(end ?? 0) - 1], lines[end ?? -1]]
  if (end === undefined || !first || !last || !closing) return undefined
  const code = { from: first.from, to: last.to }
  if (code.from >= code.to || isBlank(marks.source.slice(code.from, code.to))) return undefined
  const found = { type: 'pre', ...code, ...(lang && { lang }) } as const
  const isAdded = marks.add(found, { from: line.from, to: first.from }, { from: last.to, to: closing.to })
  return isAdded ? end + 1 : undefined
}

/** The lines that can close a block, from the last to the first. */
class Fences {
  readonly #closing: { at: number; ticks: number }[]
  /** No line further down closes a block that was opened by as many ticks. */
  #ticksInVain = Infinity

  constructor(lines: readonly Line[]) {
    this.#closing = lines.flatMap(({ text }, at) => {
      const ticks = /^[ \t]*(`{3,})[ \t\r]*$/.exec(text)?.[1]
      return ticks === undefined ? [] : [{ at, ticks: ticks.length }]
    })
    this.#closing.reverse()
  }

  closing(opening: number, ticks: number): number | undefined {
    while ((this.#closing.at(-1)?.at ?? Infinity) <= opening) this.#closing.pop()
    if (ticks >= this.#ticksInVain) return undefined
    const end = this.#closing.findLast(line => line.ticks >= ticks)?.at
    if (end === undefined) this.#ticksInVain = ticks
    return end
  }
}
