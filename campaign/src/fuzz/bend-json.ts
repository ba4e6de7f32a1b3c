// Mutates a JSON value in one place, and the text of one in ways that no value has.
import type { SeededRandom } from '@postern/testkit'
import { type Json, nastyJson, nastyText } from './nasty-values.ts'

/** More than the stack of a recursive parser holds. */
const DEEP = 100_000
const LONG_CHARS = 1_100_000

/** Another value with one change: a field replaced, left out, added, doubled, or the whole. */
export function bentJson(value: Json, random: SeededRandom): Json {
  const isLeaf = value === null || typeof value !== 'object' || Object.keys(value).length === 0
  if (isLeaf || random.below(6) === 0) return bentWhole(value, random)
  if (Array.isArray(value)) {
    const at = random.below(value.length)
    return value.map((item, place) => (place === at ? bentJson(item, random) : item))
  }
  const key = random.of(Object.keys(value))
  return { ...value, [key]: bentJson(value[key] ?? null, random) }
}

function bentWhole(value: Json, random: SeededRandom): Json {
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(value)) return [...value, ...value, nastyJson(random)]
      return value !== null && typeof value === 'object' ? withKey(value, random) : nastyJson(random)
    case 1:
      if (Array.isArray(value)) return Array.from({ length: random.of([13, 101, 1001]) }, () => value[0] ?? null)
      return value !== null && typeof value === 'object' ? withoutKey(value, random) : [value]
    case 2:
      return typeof value === 'string' ? value + nastyText(random) : { value }
    default:
      return nastyJson(random)
  }
}

const withKey = (value: { [key: string]: Json }, random: SeededRandom): Json =>
  Object.fromEntries([
    ...Object.entries(value),
    [random.of(['__proto__', 'constructor', nastyText(random)]), nastyJson(random)],
  ])

function withoutKey(value: { [key: string]: Json }, random: SeededRandom): Json {
  const gone = random.of(Object.keys(value))
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== gone))
}

/** Bytes that are no longer JSON, or JSON that no program would write. */
export function bentJsonText(value: Json, random: SeededRandom): Uint8Array {
  const text = JSON.stringify(value)
  const at = random.below(text.length + 1)
  switch (random.below(12)) {
    case 0:
      return Buffer.from(text.slice(0, at))
    case 1:
      return Buffer.from(text.slice(0, at) + nastyText(random) + text.slice(at))
    case 2:
      return Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xff, 0xc0, 0x80]),
        Buffer.from(text.slice(at)),
      ])
    case 3:
      return Buffer.from(doubledKeys(value, random))
    case 4:
      return Buffer.from(`{"__proto__":{"text":"x"},"constructor":{"prototype":{"text":"x"}},${text.slice(1)}`)
    case 5:
      return Buffer.from(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`)
    case 6:
      return Buffer.from(`{"text":${'{"text":'.repeat(DEEP / 10)}1${'}'.repeat(DEEP / 10)}}`)
    case 7:
      return Buffer.from(`\ufeff${text}`)
    case 8:
      return Buffer.from(text, 'utf16le')
    case 9:
      return Buffer.from(`${' '.repeat(random.of([1, 1000, 100_000]))}${text}\n\n`)
    case 10:
      return random.below(20) === 0
        ? Buffer.from(JSON.stringify({ text: 'x'.repeat(LONG_CHARS) }))
        : Buffer.from(text + text)
    default:
      return Buffer.from(text.replaceAll(/"/g, "'"))
  }
}

/** Every key occurs twice; readers of the first and readers of the last see different requests. */
function doubledKeys(value: Json, random: SeededRandom): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return JSON.stringify([value, value])
  const pairs = Object.entries(value).flatMap(([key, inner]) => [
    `${JSON.stringify(key)}:${JSON.stringify(nastyJson(random))}`,
    `${JSON.stringify(key)}:${JSON.stringify(inner)}`,
  ])
  return `{${pairs.join(',')}}`
}
