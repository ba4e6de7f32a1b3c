// Reports the progress of long work: a line at intervals, or JSON for a program.
import type { Writable } from 'node:stream'
import { backupLimits, type Clock } from '@postern/protocol'
import { escapeJson } from '../json-line.ts'

/** The finished work, as a sentence and as facts. */
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
    // A closed terminal must not end the work.
    stream.on('error', () => undefined)
  }

  /** Printed only after some silence: short work prints nothing. */
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
