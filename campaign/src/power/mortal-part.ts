// A part whose power can be cut: every life is recorded, and the next one begins on what the cut has left.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededRandom } from '@postern/testkit'
import type { Killable } from '@postern/testkit/processes'
import { cutPower, type Life, rebuild } from './cut-power.ts'
import { diskLogEnvironment } from './disk-log.ts'

type Surroundings = { name: string; home: string; library: string; env?: Record<string, string> }

export class MortalPart<Process extends Killable & { directory: string } = Killable & { directory: string }> {
  readonly name: string
  readonly process: Process
  readonly #surroundings: Surroundings
  readonly #life: Life

  constructor(process: Process, surroundings: Surroundings) {
    this.name = surroundings.name
    this.process = process
    this.#surroundings = surroundings
    const beside = (what: string) => join(surroundings.home, `${surroundings.name}.${what}`)
    this.#life = { directory: process.directory, before: beside('before'), log: beside('log') }
    mkdirSync(process.directory, { mode: 0o700 })
  }

  start(): void {
    const { directory, before, log } = this.#life
    // From the previous life, for the analysis of a failure.
    for (const path of [before, log]) keepAsLast(path)
    cpSync(directory, before, { recursive: true })
    const { library, env } = this.#surroundings
    this.process.life = { env: { ...env, ...diskLogEnvironment(library, { directory, log }) } }
    this.process.start()
  }

  /** Returns the number of file changes in this life. */
  async cut(random: SeededRandom): Promise<number> {
    await this.process.kill()
    return cutPower(this.#life, random)
  }

  /** The state after another cut, earlier in the same life. */
  leaveElsewhere(directory: string, cut: { random: SeededRandom; changesMax: number }): void {
    rebuild(this.#life, { into: directory, ...cut })
  }
}

function keepAsLast(path: string): void {
  rmSync(`${path}.last`, { recursive: true, force: true })
  if (existsSync(path)) renameSync(path, `${path}.last`)
}
