// Builds a formatted text: words of others are plain, and every entity is placed by us.
import {
  buttonTextFault,
  buttonUrlFault,
  contentLimits,
  type EntityType,
  isSeen,
  linkUrlFault,
  type TextEntity,
} from '@postern/protocol'
import type { Button } from '@postern/protocol/content'
import { oneLine } from './clean.ts'
import { shortened } from './fit-lines.ts'

export type EntityKind = Pick<TextEntity, 'type' | 'url'>
export type RichLine = { text: string; entities: TextEntity[] }

export class RichText {
  readonly entities: TextEntity[] = []
  #text = ''

  get text(): string {
    return this.#text
  }

  get length(): number {
    return this.#text.length
  }

  add(text: string, ...kinds: EntityKind[]): this {
    const offset = this.#text.length
    this.#text += text
    for (const kind of kinds) this.cover(kind, { from: offset })
    return this
  }

  /** Formats what was added since. An empty part has no formatting. */
  cover({ type, url }: EntityKind, { from, to = this.#text.length }: { from: number; to?: number }): void {
    if (to > from) this.entities.push({ type, offset: from, length: to - from, ...(type === 'link' && { url }) })
  }

  /** Another text with its formatting, under more formatting. */
  append({ text, entities }: RichLine, ...kinds: EntityKind[]): this {
    const offset = this.#text.length
    for (const entity of entities) this.entities.push({ ...entity, offset: entity.offset + offset })
    return this.add(text, ...kinds)
  }

  /** On a line of its own. */
  line(line: RichLine, ...kinds: EntityKind[]): this {
    if (line.text === '') return this
    if (this.#text !== '') this.add('\n')
    return this.append(line, ...kinds)
  }
}

export const plainLine = (text: string): RichLine => ({ text, entities: [] })

export const styled = (text: string, type: EntityType): RichLine =>
  text === '' ? plainLine('') : { text, entities: [{ type, offset: 0, length: text.length }] }

const looksLikeAddress = /^\s*(?:[a-z][a-z\d+.-]*:\/\/|www\.)|^[^\s/]+\.[a-z]{2,}(?:[/:?#]|$)/i

/** A label that looks like another address would hide where the link leads: then the address is shown, too. */
export function linkLine(label: string, url: string): RichLine {
  if (linkUrlFault(url) !== undefined) return plainLine(label === '' ? url : label === url ? url : `${label} (${url})`)
  if (label === '' || label === url || !isSeen(label)) return plainLine(url)
  if (looksLikeAddress.test(label)) return plainLine(`${label} (${url})`)
  return { text: label, entities: [{ type: 'link', offset: 0, length: label.length, url }] }
}

/** A button for each usable address: two in a row, and as many as a message shows. */
export function linkButtons(wanted: readonly { text: unknown; url: unknown }[], max: number): Button[][] {
  const buttons: Button[] = []
  for (const { text, url } of wanted) {
    const label = shortened(oneLine(text), contentLimits.buttonTextCharsMax)
    if (typeof url !== 'string' || buttonUrlFault(url) !== undefined || buttonTextFault(label) !== undefined) continue
    buttons.push({ text: label, url: url.replace(/^https:/i, 'https:') })
    if (buttons.length === max) break
  }
  const rows = Math.ceil(buttons.length / contentLimits.buttonsPerRowMax)
  return Array.from({ length: rows }, (_, at) =>
    buttons.slice(at * contentLimits.buttonsPerRowMax, (at + 1) * contentLimits.buttonsPerRowMax),
  )
}
