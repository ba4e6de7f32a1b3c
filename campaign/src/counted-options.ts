// Options of a campaign that are whole numbers, and a choice among its faults, with an error sentence for anything else.
import { parseArgs } from 'node:util'

export type Counted<Name extends string> = Record<Name, number> & { seed: number; isJson: boolean; only: string[] }

const COUNT_MAX = 10_000_000
const SEED_MAX = 2 ** 32 - 1

/**
 * Each with its default; `seed` is drawn then. `faults`: the names that `--only` chooses from. Returns a sentence when
 * something is wrong.
 */
export function countedOptions<Name extends string>(
  args: readonly string[],
  standards: Readonly<Record<Name, number>>,
  faults: readonly string[] = [],
): Counted<Name> | string {
  const names = [...(Object.keys(standards) as Name[]), 'seed' as const]
  try {
    const texts = Object.fromEntries(names.map(name => [name, { type: 'string' as const }]))
    const only = faults.length > 0 ? { only: { type: 'string' as const } } : {}
    const { values } = parseArgs({
      args: [...args],
      options: { ...texts, ...only, json: { type: 'boolean' as const } },
    })
    const drawn = { ...standards, seed: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0 }
    const counts = names.map(name => [
      name,
      wholeNumber(name, (values as Record<string, unknown>)[name] ?? drawn[name]),
    ])
    const chosen = chosenOf((values as Record<string, string | undefined>)['only'], faults)
    return { ...(Object.fromEntries(counts) as Counted<Name>), isJson: values.json === true, only: chosen }
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

function chosenOf(given: string | undefined, faults: readonly string[]): string[] {
  const chosen = given?.split(',') ?? []
  const unknown = chosen.find(name => !faults.includes(name))
  if (unknown !== undefined) throw new Error(`--only: "${unknown}" is not one of ${faults.join(', ')}`)
  return chosen
}
