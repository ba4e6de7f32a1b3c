// Bodies that nobody would send, for every format: each is read, or refused with a clear 400, and nothing of it becomes active.
import type { HookFormat } from '@postern/bot-api'
import { buttonsFault, type CodedError, entityFault, isCoded } from '@postern/protocol'
import { hostileValues, sampleBodies } from '@postern/testkit/hook-samples'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { expect, test } from 'vitest'
import { formatOf, formats } from '../src/hooks/formats/formats.ts'
import { readBody } from '../src/hooks/formats/post-body.ts'
import { partsOf } from '../src/hooks/send-parts.ts'
import { wordsIn } from '../src/hooks/words/words.ts'

const seed = seedFrom('POSTERN_HOOK_SEED')
const times = timesFrom('POSTERN_HOOK_BODIES', { change: 2000, campaign: 100_000 })
const names = Object.keys(formats) as HookFormat[]

/** The body with a random part replaced, removed or repeated. */
function mutated(value: unknown, random: SeededRandom): unknown {
  if (typeof value !== 'object' || value === null || random.below(6) === 0) return random.of(hostileValues)
  if (Array.isArray(value)) {
    if (value.length === 0) return [random.of(hostileValues)]
    const at = random.below(value.length)
    return value.map((item: unknown, index) => (index === at ? mutated(item, random) : item))
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return { a: random.of(hostileValues) }
  const at = random.below(entries.length)
  const drops = random.below(5) === 0
  return Object.fromEntries(
    entries.flatMap(([name, item], index) => {
      if (index !== at) return [[name, item]]
      return drops ? [] : [[name, mutated(item, random)]]
    }),
  )
}

function bytesOf(json: unknown, random: SeededRandom): Buffer {
  const bytes = Buffer.from(JSON.stringify(json) ?? '')
  if (random.below(4) > 0 || bytes.length === 0) return bytes
  if (random.below(2) === 0) return bytes.subarray(0, random.below(bytes.length))
  bytes[random.below(bytes.length)] = random.below(256)
  return bytes
}

const types = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  '',
]

test.each(names)('[GATEWAY-10.43] %s: every body is read or refused', name => {
  const random = new SeededRandom(seed)
  const samples = sampleBodies[name] ?? Object.values(sampleBodies).flat()
  for (let at = 0; at < times; at++) {
    const { json, headers } = random.of(samples)
    const type = random.below(8) === 0 ? random.of(types) : 'application/json'
    const bytes = bytesOf(mutated(json, random), random)
    const post = () => {
      const body = readBody(bytes, { ...headers, 'content-type': type })
      return formatOf(name, body)
        .read(body, wordsIn[random.of(['ru', 'en'] as const)])
        .plan(undefined, 1)
    }
    const plan = outcomeOf(post, `${name}, seed ${seed}, body ${at}: ${bytes.toString().slice(0, 500)}`)
    if (plan?.kind === 'write') expectHarmless(partsOf(plan))
  }
})

function outcomeOf<T>(post: () => T, what: string): T | undefined {
  try {
    return post()
  } catch (error) {
    expect(isCoded(error, 'bad-field'), `${what}: ${String(error)}`).toBe(true)
    expect((error as CodedError).message.length).toBeLessThan(200)
    return undefined
  }
}

/** Links lead to the web and say so; nobody can forge a line break into a button. */
function expectHarmless(parts: ReturnType<typeof partsOf>): void {
  for (const { text, entities = [], buttons = [] } of parts) {
    expect(entityFault(text, entities)).toBeUndefined()
    if (buttons.length > 0) expect(buttonsFault(buttons)).toBeUndefined()
    expect(text).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
    expect(text.isWellFormed()).toBe(true)
  }
}

test.each(names.filter(name => name !== 'slack'))(
  '[GATEWAY-10.43] %s: words of a sender never become a link, a mention or a button',
  name => {
    const evil = '<https://evil.example|Bank> [Bank](https://evil.example) *b* <@U1> @alice'
    for (const { json, headers } of sampleBodies[name] ?? []) {
      const hostile = JSON.parse(JSON.stringify(json), (key, value: unknown) =>
        typeof value === 'string' && /name|title|text|msg|message|summary|login|culprit|ref|branch/i.test(key)
          ? evil
          : value,
      ) as unknown
      const body = readBody(Buffer.from(JSON.stringify(hostile)), { ...headers, 'content-type': 'application/json' })
      const format = formatOf(name, body)
      if (format === formats.slack) continue
      const plan = format.read(body, wordsIn.en).plan(undefined, 1)
      if (plan.kind === 'skip') continue
      expect(plan.entities ?? []).toEqual([])
      for (const button of (plan.buttons ?? []).flat()) expect(JSON.stringify(button)).not.toContain('evil')
    }
  },
)
