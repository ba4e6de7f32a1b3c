// Options of a campaign that are whole numbers, with an error sentence for anything else.
import { parseArgs } from 'node:util'

export type Counted<Name extends string> = Record<Name, number> & { seed: number; isJson: boolean }

const COUNT_MAX = 10_000_000
const SEED_MAX = 2 ** 32 - 1

/** Each with its default; `seed` is drawn then. Returns a sentence when something is wrong. */
export function countedOptions<Name extends string>(
  args: readonly string[],
  standards: Readonly<Record<Name, number>>,
): Counted<Name> | string {
  const names = [...(Object.keys(standards) as Name[]), 'seed' as const]
  try {
    const texts = Object.fromEntries(names.map(name => [name, { type: 'string' as const }]))
    const { values } = parseArgs({ args: [...args], options: { ...texts, json: { type: 'boolean' as const } } })
    const drawn = { ...standards, seed: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0 }
    const counts = names.map(name => [
      name,
      wholeNumber(name, (values as Record<string, unknown>)[name] ?? drawn[name]),
    ])
    return { ...(Object.fromEntries(counts) as Counted<Name>), isJson: values.json === true }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function wholeNumber(name: string, given: unknown): number {
  const max = name === 'seed' ? SEED_MAX : COUNT_MAX
  const value = /^\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN
  if (!(value <= max)) throw new Error(`--${name} takes a whole number from 0 to ${max}, not "${String(given)}"`)
  return value
}
