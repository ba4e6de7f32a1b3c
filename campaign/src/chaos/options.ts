// The options of the chaos command line, each within its bounds.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type FaultKind, faultKinds } from './faults/schedule.ts'
import type { PartName } from './parts/part.ts'

export type ChaosAsked = {
  minutes: number
  seed: number
  kinds: FaultKind[]
  parts?: PartName[]
  isJson: boolean
  isVerbose: boolean
}

const partNames = ['relay', 'poller', 'pusher', 'alice', 'bob', 'carol', 'dave'] as const satisfies PartName[]
/** Several clocks that are days off, one after the other, exceed our guarantees: this must be requested explicitly. */
const usualKinds = faultKinds.filter(kind => kind !== 'clock-beyond')
const MINUTES_MAX = 24 * 60
const SEED_MAX = 2 ** 32 - 1

/** Returns a sentence when it is wrong. */
export function readOptions(args: readonly string[]): ChaosAsked | string {
  try {
    return parse(args)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function parse(args: readonly string[]): ChaosAsked {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '30' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      only: { type: 'string' },
      parts: { type: 'string' },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  })
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes <= MINUTES_MAX)) throw new Error(`--minutes takes a number up to ${MINUTES_MAX}`)
  const seed = Number(values.seed)
  if (!Number.isSafeInteger(seed) || seed < 0 || seed > SEED_MAX)
    throw new Error(`--seed takes a whole number from 0 to ${SEED_MAX}`)
  return {
    minutes,
    seed,
    kinds: values.only === undefined ? usualKinds : chosen('only', values.only, faultKinds),
    ...(values.parts !== undefined && { parts: chosen('parts', values.parts, partNames) }),
    isJson: values.json,
    isVerbose: values.verbose,
  }
}

function chosen<Name extends string>(option: string, text: string, known: readonly Name[]): Name[] {
  return text.split(',').map(part => {
    const name = known.find(candidate => candidate === part)
    if (name === undefined) throw new Error(`--${option}: "${part}" is not one of ${known.join(', ')}`)
    return name
  })
}
