// Buttons under a message, and the data behind them. Limits are checked where they are written.
import type { NewButton } from './api-types.ts'

/** As in the gateway; a test compares them. */
export const buttonLimits = { rowsMax: 3, perRowMax: 2, textCharsMax: 64, dataBytesMax: 64 } as const

/** Data that `payload` has packed. */
export type PackedData = { readonly packed: string }

export class Buttons {
  readonly #rows: NewButton[][] = [[]]

  /** A button that sends `data` back when somebody presses it. */
  data(text: string, data: string | PackedData): this {
    const packed = typeof data === 'string' ? data : data.packed
    assertData(packed)
    return this.#add({ text, data: packed })
  }

  /** A button that opens an https address. */
  url(text: string, url: string): this {
    return this.#add({ text, url })
  }

  /** The next buttons are in a new row. A full row ends automatically. */
  row(): this {
    if (this.#rows.at(-1)?.length !== 0) this.#rows.push([])
    return this
  }

  build(): NewButton[][] {
    return this.#rows.filter(row => row.length > 0)
  }

  #add(button: NewButton): this {
    const { rowsMax, perRowMax, textCharsMax } = buttonLimits
    if ([...button.text].length > textCharsMax)
      throw new RangeError(`The text of a button has at most ${textCharsMax} characters: ${button.text}`)
    if (this.#rows.at(-1)?.length === perRowMax) this.row()
    if (this.#rows.length > rowsMax)
      throw new RangeError(`A message has at most ${rowsMax} rows of ${perRowMax} buttons.`)
    this.#rows.at(-1)?.push(button)
    return this
  }
}

function assertData(data: string): void {
  const bytes = new TextEncoder().encode(data).length
  if (bytes === 0 || bytes > buttonLimits.dataBytesMax)
    throw new RangeError(`The data of a button has 1 to ${buttonLimits.dataBytesMax} bytes, not ${bytes}: ${data}`)
}

type FieldType = 'string' | 'number' | 'boolean'
type ValueOf<Type extends FieldType> = Type extends 'number' ? number : Type extends 'boolean' ? boolean : string
type Value = string | number | boolean

export interface Payload<Values> {
  pack(values: Values): PackedData
  /** Undefined for data of another kind, and for data that this kind cannot have packed. */
  parse(data: string): Values | undefined
}

/** Data of buttons with fields. `name` tells it apart from other data of the same bot. */
export function payload<Fields extends Record<string, FieldType>>(
  name: string,
  fields: Fields,
): Payload<{ [Name in keyof Fields]: ValueOf<Fields[Name]> }> {
  const types = Object.entries(fields)
  return {
    pack: values => {
      const texts = types.map(([field, type]) => packedValue(values[field] as Value, type))
      const packed = [name, ...texts].map(escaped).join(':')
      assertData(packed)
      return { packed }
    },
    parse: data => {
      const [kind, ...texts] = split(data)
      if (kind !== name || texts.length !== types.length) return undefined
      const values = types.map(([field, type], at) => [field, parsedValue(texts[at] ?? '', type)] as const)
      if (values.some(([, value]) => value === undefined)) return undefined
      return Object.fromEntries(values) as { [Name in keyof Fields]: ValueOf<Fields[Name]> }
    },
  }
}

const escaped = (text: string): string => text.replaceAll(/[\\:]/g, sign => `\\${sign}`)

/** At each colon that is not escaped. */
function split(data: string): string[] {
  const parts = ['']
  for (const [sign] of data.matchAll(/\\?[^]/gu))
    if (sign === ':') parts.push('')
    else parts.push(`${parts.pop() ?? ''}${sign.length > 1 && sign.startsWith('\\') ? sign.slice(1) : sign}`)
  return parts
}

function packedValue(value: Value, type: FieldType): string {
  if (typeof value !== type || (typeof value === 'number' && !Number.isFinite(value)))
    throw new TypeError(`A field of a payload is no ${type}: ${value}`)
  return type === 'boolean' ? (value ? '1' : '0') : String(value)
}

function parsedValue(text: string, type: FieldType): Value | undefined {
  if (type === 'string') return text
  if (type === 'boolean') return { 1: true, 0: false }[text]
  const value = Number(text)
  return String(value) === text && Number.isFinite(value) ? value : undefined
}
