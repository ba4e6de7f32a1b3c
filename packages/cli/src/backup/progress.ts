// Reports the progress of a backup or a restore: for a person, or as JSON for a program.
import type { Clock } from '@postern/protocol'
import { ProgressLine, type ProgressOutput } from '@postern/protocol/node'
import { escapeJson } from '../json-line.ts'

/** The finished work, as a sentence and as facts. */
export type BackupStep = { text: string; facts: object }

type ProgressStream = ProgressOutput & { on(event: 'error', listener: () => void): unknown }

export class BackupProgress {
  readonly #isJson: boolean
  readonly #line: ProgressLine

  constructor(stream: ProgressStream, { isJson, clock }: { isJson: boolean; clock: Clock }) {
    this.#isJson = isJson
    // Lines of JSON are never updated in place, even on a terminal.
    this.#line = new ProgressLine(isJson ? { write: text => stream.write(text) } : stream, clock)
    // A closed terminal must not end the work.
    stream.on('error', () => undefined)
  }

  /** Short work prints nothing. */
  now(step: () => BackupStep): void {
    this.#line.now(() => this.#textOf(step()))
  }

  /** Before work that reports nothing while it runs. */
  before(step: BackupStep, bytes: number): void {
    this.#line.before(this.#textOf(step), bytes)
  }

  say(stream: Pick<ProgressOutput, 'write'>, step: BackupStep): void {
    this.end()
    stream.write(`${this.#textOf(step)}\n`)
  }

  /** Before anything else is printed. */
  end(): void {
    this.#line.end()
  }

  #textOf({ text, facts }: BackupStep): string {
    return this.#isJson ? escapeJson(JSON.stringify(facts)) : text
  }
}

/** `step`: what is done with the bytes. */
export const bytesStep = (step: 'copied' | 'written' | 'read', bytes: number): BackupStep => ({
  text: `${bytesText(bytes)} ${step}`,
  facts: { progress: { step, bytes } },
})

export const checkStep = (bytes: number): BackupStep => ({
  text: `Checking the database, ${bytesText(bytes)}`,
  facts: { progress: { step: 'checking', bytes } },
})

export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let at = 0
  let value = bytes
  for (; value >= 1000 && at < units.length - 1; at++) value /= 1000
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`
}
