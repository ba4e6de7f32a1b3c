// Reads MarkdownV2 of `parse_mode`: marks can be nested, and every other sign of the language must be escaped.
import { badRequest } from '../telegram-error.ts'
import { linkEntity, type TelegramEntity, type TelegramWords } from './telegram-entity.ts'

/** Longer marks first. */
const marks: readonly (readonly [mark: string, type: string])[] = [
  ['||', 'spoiler'],
  ['__', 'underline'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strikethrough'],
]
const RESERVED = '_*[]()~`>#+-=|{}.!'

type Open = { mark: string; type: string; from: number; at: number }

export function readMarkdownV2(marked: string): TelegramWords {
  return new MarkdownV2(marked).read()
}

class MarkdownV2 {
  readonly #marked: string
  readonly #entities: TelegramEntity[] = []
  readonly #open: Open[] = []
  #text = ''
  #at = 0
  /** Where the present quote began in the text. */
  #quoteFrom: number | undefined

  constructor(marked: string) {
    this.#marked = marked
  }

  read(): TelegramWords {
    while (this.#at < this.#marked.length) {
      if (this.#isLineStart()) this.#beginLine()
      if (this.#at < this.#marked.length) this.#step()
    }
    const left = this.#open.at(-1)
    if (left) throw this.#endless(left.at)
    this.#endQuote()
    return { text: this.#text, entities: this.#entities.filter(({ length }) => length > 0) }
  }

  #isLineStart(): boolean {
    return this.#text === '' || this.#text.endsWith('\n')
  }

  #beginLine(): void {
    // A bold nothing separates one quote from the next.
    if (this.#marked.startsWith('**>', this.#at)) {
      this.#endQuote()
      this.#at += 2
    }
    if (this.#marked.charAt(this.#at) !== '>') return this.#endQuote()
    this.#at += 1
    this.#quoteFrom ??= this.#text.length
  }

  #endQuote(): void {
    if (this.#quoteFrom === undefined) return
    const length = this.#text.length - (this.#text.endsWith('\n') ? 1 : 0) - this.#quoteFrom
    this.#entities.push({ type: 'blockquote', offset: this.#quoteFrom, length })
    this.#quoteFrom = undefined
  }

  #step(): void {
    const sign = this.#marked.charAt(this.#at)
    if (sign === '\\' && /[\x21-\x7e]/.test(this.#marked.charAt(this.#at + 1))) {
      this.#text += this.#marked.charAt(this.#at + 1)
      this.#at += 2
      return
    }
    if (sign === '`') return this.#readCode()
    if (sign === '[' || this.#marked.startsWith('![', this.#at)) return this.#openLink()
    if (sign === ']' && this.#open.at(-1)?.mark === '[') return this.#closeLink()
    // The end of a quote that is shown folded.
    const isFold = this.#quoteFrom !== undefined && /^\|\|(\n|$)/.test(this.#marked.slice(this.#at, this.#at + 3))
    if (isFold && !this.#open.some(({ mark }) => mark === '||')) {
      this.#at += 2
      return
    }
    const mark = marks.find(([one]) => this.#marked.startsWith(one, this.#at))
    if (mark) return this.#toggle(mark)
    if (RESERVED.includes(sign))
      throw this.#fault(`Character '${sign}' is reserved and must be escaped with the preceding '\\'`)
    this.#text += sign
    this.#at += 1
  }

  #toggle([mark, type]: readonly [string, string]): void {
    const last = this.#open.at(-1)
    if (last?.mark === mark) {
      this.#open.pop()
      this.#entities.push({ type, offset: last.from, length: this.#text.length - last.from })
    } else this.#open.push({ mark, type, from: this.#text.length, at: this.#at })
    this.#at += mark.length
  }

  #readCode(): void {
    const mark = this.#marked.startsWith('```', this.#at) ? '```' : '`'
    const from = this.#at
    const [code, end] = this.#until(mark, from + mark.length)
    const [, lang, block = ''] = mark === '```' ? (/^(?:([\w+#.-]+)\n|\n)?([^]*)$/.exec(code) ?? []) : []
    const inner = mark === '```' ? block : code
    const entity = { type: mark === '```' ? 'pre' : 'code', offset: this.#text.length, length: inner.length }
    this.#entities.push({ ...entity, ...(lang !== undefined && { lang }) })
    this.#text += inner
    this.#at = end
  }

  #openLink(): void {
    const mark = this.#marked.charAt(this.#at) === '!' ? '![' : '['
    this.#open.push({
      mark: '[',
      type: mark === '[' ? 'text_link' : 'custom_emoji',
      from: this.#text.length,
      at: this.#at,
    })
    this.#at += mark.length
  }

  #closeLink(): void {
    const open = this.#open.pop()
    if (!open) return
    const offset = open.from
    const length = this.#text.length - offset
    this.#at += 1
    if (this.#marked.charAt(this.#at) !== '(') return
    const [url, end] = this.#until(')', this.#at + 1)
    this.#entities.push({ ...(open.type === 'text_link' ? linkEntity(url) : { type: open.type }), offset, length })
    this.#at = end
  }

  /** The text up to a mark, without its escapes, and the place behind the mark. */
  #until(mark: string, from: number): [text: string, end: number] {
    let text = ''
    for (let at = from; at < this.#marked.length; at++) {
      if (this.#marked.startsWith(mark, at)) return [text, at + mark.length]
      if (this.#marked.charAt(at) === '\\' && at + 1 < this.#marked.length) at += 1
      text += this.#marked.charAt(at)
    }
    throw this.#endless(this.#at)
  }

  #endless(at: number) {
    return this.#fault(
      `Can't find end of the entity starting at byte offset ${Buffer.byteLength(this.#marked.slice(0, at))}`,
    )
  }

  #fault(why: string) {
    return badRequest(`can't parse entities: ${why}`)
  }
}
