// Reads the marks within a paragraph, in linear time: code, links, and pairs of signs.
import { type EntityType, linkUrlFault } from '../rules/entities.ts'
import { isSeen } from '../rules/line.ts'
import type { Marks } from './marks.ts'
import { type SignRun, SignRuns } from './sign-runs.ts'

type Segment = { from: number; to: number }
/** An opening bracket, and the number of signs before it. */
type Bracket = { at: number; runs: number }

/** An address is none of our marks: its underscores belong to it. */
const tokens = /\\+|`+|\*+|_+|~+|\|+|[[\]]|\bhttps?:\/\/[^\s<>"`|\\[\]{}^]+/giu
const target = /\((https?:\/\/[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/iy
const ofLetters = { before: /[\p{L}\p{N}]$/u, after: /^[\p{L}\p{N}]/u }

export function parseInline(marks: Marks, { from, to }: Segment): void {
  new Inline(marks, { from, to }).parse()
}

class Inline {
  readonly #marks: Marks
  readonly #from: number
  readonly #text: string
  readonly #ticks: Ticks
  readonly #runs: SignRuns
  #brackets: Bracket[] = []

  constructor(marks: Marks, { from, to }: Segment) {
    this.#marks = marks
    this.#from = from
    this.#text = marks.source.slice(from, to)
    this.#ticks = new Ticks(this.#text)
    this.#runs = new SignRuns((found, ...signs) => this.#add(found, ...signs))
  }

  parse(): void {
    tokens.lastIndex = 0
    for (let match = tokens.exec(this.#text); match; match = tokens.exec(this.#text)) {
      const end = this.#read(match[0], match.index)
      // The address of a link is matched in between.
      tokens.lastIndex = end
    }
    this.#runs.pairUp(0)
  }

  /** Returns the position after the part that it has read. */
  #read(token: string, at: number): number {
    switch (token.charAt(0)) {
      case '\\':
        return this.#escape(token, at)
      case '`':
        return this.#code(token, at)
      case '[':
        this.#brackets.push({ at, runs: this.#runs.count })
        return at + 1
      case ']':
        return this.#link(at)
      case 'h':
      case 'H':
        return at + withoutTrailing(token)
      default:
        this.#runs.add(this.#run(token, at))
        return at + token.length
    }
  }

  /** Backslashes count only in front of a mark: other texts have some, too. */
  #escape(token: string, at: number): number {
    const end = at + token.length
    const next = this.#text[end]
    const isMark = next !== undefined && (next === '>' ? this.#isLineStart(at) : '`*_~|[]'.includes(next))
    if (!isMark) return end
    this.#marks.remove(this.#span(at, at + Math.ceil(token.length / 2)))
    return token.length % 2 === 1 ? end + 1 : end
  }

  #isLineStart(at: number): boolean {
    return at === 0 || this.#text[at - 1] === '\n' || this.#marks.isMark(this.#from + at - 1)
  }

  #code(token: string, at: number): number {
    const end = at + token.length
    const closing = this.#ticks.next(end, token.length)
    const code = closing === undefined ? '' : this.#text.slice(end, closing)
    if (closing === undefined || code.trim() === '') return end
    // Code that begins or ends with a tick has a space around it.
    const space = code.startsWith(' ') && code.endsWith(' ') ? 1 : 0
    const [from, to] = [end + space, closing - space]
    const signs = [this.#span(at, from), this.#span(to, closing + token.length)]
    return this.#marks.add({ type: 'code', ...this.#span(from, to) }, ...signs) ? closing + token.length : end
  }

  #link(at: number): number {
    const bracket = this.#brackets.pop()
    target.lastIndex = at + 1
    const url = bracket && target.exec(this.#text)?.[1]
    if (!url || linkUrlFault(url) !== undefined) return at + 1
    const end = target.lastIndex
    const label = this.#span(bracket.at + 1, at)
    if (!isSeen(this.#marks.textOf(label))) return at + 1
    const signs = [this.#span(bracket.at, bracket.at + 1), this.#span(at, end)]
    if (!this.#marks.add({ type: 'link', ...label, url }, ...signs)) return at + 1
    this.#runs.pairUp(bracket.runs)
    // A link around this one would be another one.
    this.#brackets = []
    return end
  }

  #run(token: string, at: number): SignRun {
    const end = at + token.length
    const before = this.#text.slice(Math.max(0, at - 2), at)
    const after = this.#text.slice(end, end + 2)
    const [isLetterBefore, isLetterAfter] = [ofLetters.before.test(before), ofLetters.after.test(after)]
    // Within a word only these two are marks: `snake_case`, `2*3*4` and `a||b` are none.
    const isInWord = token === '**' || token === '~~'
    return {
      sign: token[0] as SignRun['sign'],
      from: at,
      to: end,
      canOpen: /^\S/.test(after) && (isInWord || !isLetterBefore),
      canClose: /\S$/.test(before) && (isInWord || !isLetterAfter),
    }
  }

  #add(found: { type: EntityType; from: number; to: number }, ...signs: Segment[]): boolean {
    const spans = signs.map(({ from, to }) => this.#span(from, to))
    return this.#marks.add({ type: found.type, ...this.#span(found.from, found.to) }, ...spans)
  }

  #span(from: number, to: number): Segment {
    return { from: this.#from + from, to: this.#from + to }
  }
}

/** The length of an address without the signs after it. */
function withoutTrailing(address: string): number {
  let length = address.length
  while (".,:;!?'’…*_~)".includes(address[length - 1] ?? ' ')) length--
  return length
}

/** Runs of ticks by their length. They are asked for from the beginning to the end. */
class Ticks {
  readonly #byLength = new Map<number, number[]>()

  constructor(text: string) {
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const known = this.#byLength.get(run.length)
      if (known) known.push(index)
      else this.#byLength.set(run.length, [index])
    }
    for (const places of this.#byLength.values()) places.reverse()
  }

  next(from: number, length: number): number | undefined {
    const places = this.#byLength.get(length) ?? []
    while ((places.at(-1) ?? Infinity) < from) places.pop()
    return places.at(-1)
  }
}
