// What somebody who waits is told of long work: a line now and then, or JSON for a program.
import type { Writable } from 'node:stream'
import { backupLimits, type Clock } from '@postern/protocol'
import { escapeJson } from '../json-line.ts'

/** What is done, as a sentence and as facts. */
export type BackupStep = { text: string; facts: object }

export class BackupProgress {
  readonly #stream: Writable
  readonly #isJson: boolean
  readonly #clock: Clock
  #saidMs: number

  constructor(stream: Writable, { isJson, clock }: { isJson: boolean; clock: Clock }) {
    this.#stream = stream
    this.#isJson = isJson
    this.#clock = clock
    this.#saidMs = clock.monotonicMs()
    // A terminal that is gone must not end what it is told of.
    stream.on('error', () => undefined)
  }

  /** Said only when nothing was said for a while: short work is done without a word. */
  now(step: () => BackupStep): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#saidMs < backupLimits.progressEveryMs) return
    this.#saidMs = nowMs
    this.say(this.#stream, step())
  }

  say(stream: Writable, { text, facts }: BackupStep): void {
    stream.write(this.#isJson ? `${escapeJson(JSON.stringify(facts))}\n` : `${text}\n`)
  }
}

export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let at = 0
  let value = bytes
  for (; value >= 1000 && at < units.length - 1; at++) value /= 1000
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`
}
