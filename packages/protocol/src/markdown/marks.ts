// The findings of a parser: which characters of the source are marks, and what they format.
// The text is the source without its marks, so no other character can be lost.
import { contentLimits } from '../limits.ts'
import { fittingEntities, type TextEntity } from '../rules/entities.ts'

export type FormattedText = { text: string; entities: TextEntity[] }

type Span = { from: number; to: number }
type Found = Span & Pick<TextEntity, 'type' | 'url' | 'lang'>

export class Marks {
  readonly source: string
  readonly #isMark: Uint8Array
  readonly #found: Found[] = []

  constructor(source: string) {
    this.source = source
    this.#isMark = new Uint8Array(source.length)
  }

  /** An address of a link is a mark, so further marks stay characters where there are too many entities. */
  add(found: Found, ...marks: Span[]): boolean {
    if (this.#found.length >= contentLimits.entitiesMax) return false
    this.#found.push(found)
    for (const mark of marks) this.remove(mark)
    return true
  }

  remove({ from, to }: Span): void {
    this.#isMark.fill(1, from, to)
  }

  isMark(at: number): boolean {
    return this.#isMark[at] === 1
  }

  /** This part of the source without its marks. */
  textOf({ from, to }: Span): string {
    let text = ''
    for (let at = from; at < to; ) {
      const next = this.#isMark.indexOf(this.isMark(at) ? 0 : 1, at)
      const end = next === -1 || next > to ? to : next
      if (!this.isMark(at)) text += this.source.slice(at, end)
      at = end
    }
    return text
  }

  /** `place`: where a position of the source is in the text. */
  result(): FormattedText & { place: (at: number) => number } {
    const places = new Uint32Array(this.source.length + 1)
    for (let at = 0; at < this.source.length; at++) places[at + 1] = (places[at] ?? 0) + (this.isMark(at) ? 0 : 1)
    const place = (at: number): number => places[Math.min(at, this.source.length)] ?? 0
    const text = this.textOf({ from: 0, to: this.source.length })
    const entities = this.#found.map(({ from, to, ...found }) => ({
      ...found,
      offset: place(from),
      length: place(to) - place(from),
    }))
    return { text, entities: fittingEntities(text, entities), place }
  }
}
