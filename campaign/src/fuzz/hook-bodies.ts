// Bodies for hooks that nobody should post: mutated ones of the real senders of each format, and ones of a megabyte.
import { type HookFormat, hookFormat } from '@postern/bot-api'
import { hookLimits } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit'
import { sampleBodies } from '@postern/testkit/hook-samples'
import { bentJson, bentJsonText } from './bend-json.ts'
import { type Json, nastyText } from './nasty-values.ts'

/** `create`: the request that makes the hook, besides its chat. */
export type HookKind = { name: string; create: { format: HookFormat; [field: string]: unknown } }
/** Sent for real, or tried only: that costs the relay nothing. */
export type HookBody = { headers: [name: string, value: string][]; bytes: Uint8Array; isDry: boolean }

const TEMPLATE =
  '{{status | map:"failed=❌" | upper}} {{object_attributes.ref | cut:80}} {{user.name | trim | json}}' +
  '{{#if builds}}{{builds | count}}{{/if}}{{#each alerts limit:10}}\n{{labels.alertname | default:"?"}} {{@index}}' +
  '{{else}}{{text}}{{/each}}'

const living = { living: true }

export const hookKinds: readonly HookKind[] = [
  ...hookFormat.options.map(format => ({
    name: format,
    create: { format, ...(format === 'template' && { template: TEMPLATE }) },
  })),
  ...(['alerts', 'grafana', 'pipeline'] as const).map(format => ({
    name: `living ${format}`,
    create: { format, options: living },
  })),
]

/** One of this many: they wait for a relay, or take a while. */
const REAL_OF = 200
const LARGE_OF = 200
const OTHER_TYPE_OF = 8
const BENDS_MAX = 3
/** The rest of a large body. */
const SMALL_BYTES = 8192

const everySample = Object.values(sampleBodies).flat()

export function hookBody({ create: { format } }: HookKind, random: SeededRandom): HookBody {
  const { json, headers } = random.of(sampleBodies[format] ?? everySample)
  const isLarge = random.below(LARGE_OF) === 0
  const isDry = isLarge || random.below(REAL_OF) > 0
  const { type, bytes } = isLarge ? largeBody(json as Json, random) : bentBody(json as Json, random)
  return { headers: [...Object.entries(headers), ['Content-Type', type]], bytes, isDry }
}

type Typed = { type: string; bytes: Uint8Array }

const typeOf = (random: SeededRandom): string =>
  random.below(OTHER_TYPE_OF) > 0
    ? 'application/json'
    : random.of([
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        'text/plain',
        'text/plain; charset=utf-16',
        'application/json; charset=none',
        '',
      ])

function bentBody(json: Json, random: SeededRandom): Typed {
  let value = json
  for (let bends = random.below(BENDS_MAX + 1); bends >= 0; bends--) value = bentJson(value, random)
  const type = typeOf(random)
  const text = random.below(4) === 0 ? bentJsonText(value, random) : Buffer.from(JSON.stringify(value))
  return { type, bytes: inForm(text, { type, random }) }
}

/** As senders put JSON into a form; otherwise the bytes are no form at all. */
function inForm(text: Uint8Array, { type, random }: { type: string; random: SeededRandom }): Uint8Array {
  if (random.below(2) === 0) return text
  const field = random.of(['payload', 'data'])
  if (type.startsWith('multipart/'))
    return Buffer.concat([
      Buffer.from(`--x\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n`),
      text,
      Buffer.from('\r\n--x--\r\n'),
    ])
  if (!type.endsWith('urlencoded')) return text
  return Buffer.from(`${field}=${encodeURIComponent(Buffer.from(text).toString())}`)
}

const units = [
  'a',
  'a ',
  'a\n',
  ' ',
  '\n',
  '\0',
  '\u202e',
  '👍',
  '👩‍',
  '🇩🇪',
  '\u0301',
  '\ud83d',
  '<',
  '<a|b>',
  '<@',
  '*a* ',
  '`',
]

/** One part of it is as large as a body may be. */
function largeBody(json: Json, random: SeededRandom): Typed {
  const large = withLargePart(json, random)
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(large)) }
}

function withLargePart(value: Json, random: SeededRandom): Json {
  if (value === null || typeof value !== 'object') return largeText(random)
  if (Array.isArray(value)) {
    if (value.length === 0 || random.below(3) === 0) return copies(value[0] ?? null, random)
    const at = random.below(value.length)
    return value.map((item, place) => (place === at ? withLargePart(item, random) : item))
  }
  const keys = Object.keys(value)
  if (keys.length === 0 || random.below(6) === 0) return { ...value, ...manyKeys(random) }
  const key = random.of(keys)
  return { ...value, [key]: withLargePart(value[key] ?? null, random) }
}

const spaceBytes = hookLimits.bodyBytesMax - SMALL_BYTES

const times = (bytes: number): number => Math.max(1, Math.floor(spaceBytes / bytes))
const jsonBytes = (value: Json): number => Buffer.byteLength(JSON.stringify(value))

function largeText(random: SeededRandom): string {
  const unit = random.below(4) === 0 ? nastyText(random) || ' ' : random.of(units)
  return unit.repeat(times(jsonBytes(unit) - '""'.length))
}

function copies(item: Json, random: SeededRandom): Json[] {
  const copy = random.of<Json>([item, {}, [], '', 0])
  return Array.from({ length: times(jsonBytes(copy) + ','.length) }, () => copy)
}

function manyKeys(random: SeededRandom): Record<string, Json> {
  const name = random.of(['k', 'toString', '👍'])
  const count = times(jsonBytes(`${name}100000`) + ':1,'.length)
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 1]))
}
