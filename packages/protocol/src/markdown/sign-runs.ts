// Pairs the signs that open formatting with those that close it. Pairs do not cross: a sign between them that is left over stays a sign.
import type { EntityType } from '../rules/entities.ts'

/** Equal signs in a row. */
export type SignRun = { sign: '*' | '_' | '~' | '|'; from: number; to: number; canOpen: boolean; canClose: boolean }

type Pair = { type: EntityType; from: number; to: number }
type Span = { from: number; to: number }
/** Returns false when there are too many: then the signs stay. */
type OnPair = (pair: Pair, ...signs: Span[]) => boolean

/** Bold and italic together. */
const SIGNS_IN_ROW = 3
/** The types of one sign and of two. */
const types: Record<SignRun['sign'], readonly (EntityType | undefined)[]> = {
  '*': ['italic', 'bold'],
  _: ['italic', 'bold'],
  '~': [undefined, 'strike'],
  '|': [undefined, 'spoiler'],
}

export class SignRuns {
  readonly #onPair: OnPair
  readonly #runs: SignRun[] = []

  constructor(onPair: OnPair) {
    this.#onPair = onPair
  }

  get count(): number {
    return this.#runs.length
  }

  add(run: SignRun): void {
    const length = run.to - run.from
    if (length <= SIGNS_IN_ROW && (types[run.sign][0] !== undefined || length === 2)) this.#runs.push(run)
  }

  /** From this run to the last one; then they are forgotten. */
  pairUp(first: number): void {
    const open = new OpenRuns()
    for (const run of this.#runs.splice(first)) {
      let from = run.from
      while (run.canClose && from < run.to) {
        const opening = open.upTo(run.sign)
        if (!opening) break
        const used = Math.min(opening.to - opening.from, run.to - from, 2)
        const type = types[run.sign][used - 1]
        const signs = [
          { from: opening.to - used, to: opening.to },
          { from, to: from + used },
        ]
        if (!type || !this.#onPair({ type, from: opening.to, to: from }, ...signs)) return
        open.push({ ...opening, to: opening.to - used })
        from += used
      }
      if (run.canOpen) open.push({ ...run, from })
    }
  }
}

/** Runs that wait to be closed. Counted by their sign, so that a run that closes nothing does not look at all of them. */
class OpenRuns {
  readonly #runs: SignRun[] = []
  readonly #counts = { '*': 0, _: 0, '~': 0, '|': 0 }

  push(run: SignRun): void {
    if (run.from >= run.to) return
    this.#runs.push(run)
    this.#counts[run.sign]++
  }

  /** Takes the last one with this sign, and drops those after it. */
  upTo(sign: SignRun['sign']): SignRun | undefined {
    if (this.#counts[sign] === 0) return undefined
    for (;;) {
      const run = this.#runs.pop()
      if (run) this.#counts[run.sign]--
      if (!run || run.sign === sign) return run
    }
  }
}
