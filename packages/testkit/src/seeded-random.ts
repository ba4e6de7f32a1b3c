// Repeatable random numbers: the same seed gives the same numbers.

export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 inclusive to 1 exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T
  }
}

/** Set by `npm run campaign -- tests`: tests draw new seeds and run longer. */
const CAMPAIGN = 'POSTERN_TEST_CAMPAIGN'
/** A change passes or fails on its own merit: without a campaign every run is the same. */
const GATE_SEED = 7

export const isCampaign = (): boolean => process.env[CAMPAIGN] !== undefined

/** Parts of the names of files that a campaign runs: tests that print their seeds, and tests that try more in a campaign. */
export const CAMPAIGN_FILES: readonly string[] = [
  'kill',
  'unsteady',
  'restores',
  'chat-texts',
  'random-histor',
  'campaign/test',
  'older-npm',
  'failing-disk',
  'big-mailbox',
]

/**
 * From the environment to repeat a failure; otherwise the same in every run, and a new one in a campaign. The test
 * prints it.
 */
export const seedFrom = (variable: string): number =>
  Number(process.env[variable] ?? (isCampaign() ? crypto.getRandomValues(new Uint32Array(1))[0] : GATE_SEED))

/** From the environment; otherwise few for every change and many in a campaign. */
export const timesFrom = (variable: string, { change, campaign }: { change: number; campaign: number }): number =>
  Number(process.env[variable] ?? (isCampaign() ? campaign : change))
