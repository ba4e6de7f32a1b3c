// One part of the campaign: a process with a separate disk and clock, which outlives many lives.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Killable } from '@postern/testkit/processes'
import { Disk } from './disk.ts'

export type PartName = 'relay' | 'poller' | 'pusher' | 'alice' | 'bob' | 'carol' | 'dave'

export type PartPlace = { folder: string; name: PartName }

const CLOCK = join(import.meta.dirname, 'shifted-clock.mjs')
const START_AGAIN_MS = 300

export class Part<Process extends Killable = Killable> {
  readonly name: PartName
  readonly disk: Disk
  readonly process: Process
  readonly dataDirectory: string
  readonly #clockFile: string
  readonly #logFile: string
  #isWanted = false
  #again: NodeJS.Timeout | undefined
  /** Addresses of modules that Node loads before the part itself, in all its lives. */
  imports: readonly string[] = []
  /** The clock of this part is off by this much. */
  shiftMs = 0
  /** Whether its disk is currently full. */
  isFull = false
  /** Called when it ended unexpectedly while it had space. */
  onCrash: (crash: string) => void = () => undefined
  /** A part without space at its start may report that and end. */
  refusedStarts = 0

  constructor({ folder, name }: PartPlace, make: (directory: string) => Process) {
    this.name = name
    this.#clockFile = join(folder, `${name}.clock`)
    this.#logFile = join(folder, `${name}.log`)
    writeFileSync(this.#clockFile, '0')
    this.disk = Disk.at(join(folder, name))
    this.dataDirectory = join(this.disk.directory, 'data')
    this.process = make(this.dataDirectory)
    this.disk.usedBy(() => this.process.pid)
    this.process.onLine = line => appendFileSync(this.#logFile, `${line}\n`)
    this.process.onCrash = crash => this.#ended(crash)
  }

  start(): void {
    this.#isWanted = true
    const { env } = this.process.life
    const nodeFlags = [CLOCK, ...this.imports].flatMap(address => ['--import', address])
    this.process.life = { nodeFlags, env: { ...env, CAMPAIGN_CLOCK_FILE: this.#clockFile } }
    this.process.start()
  }

  async kill(): Promise<void> {
    this.#isWanted = false
    clearTimeout(this.#again)
    await this.process.kill()
  }

  setClock(shiftMs: number): void {
    this.shiftMs = shiftMs
    writeFileSync(this.#clockFile, String(shiftMs))
  }

  fillDisk(leftBytes: number): void {
    this.isFull = true
    this.disk.fill(leftBytes)
  }

  freeDisk(): void {
    this.disk.free()
    this.isFull = false
  }

  /** A running process has no reason to end. One that cannot start on a full disk may report that, and is started again. */
  #ended(crash: string): void {
    appendFileSync(this.#logFile, `${crash}\n`)
    const mayRefuse = this.isFull && !this.process.isUp
    if (mayRefuse) this.refusedStarts++
    else this.onCrash(`${this.name}: ${crash}`)
    this.process.crash = undefined
    if (this.#isWanted) this.#again = setTimeout(() => this.process.start(), START_AGAIN_MS)
  }
}
