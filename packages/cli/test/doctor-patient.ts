// The doctor with a clock of the test: it stands still while answers are in flight, and advances for requests that
// never get one.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { doctorLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { test as base } from 'vitest'
import { doctor } from './doctor.ts'

export const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-doctor-'))
    onCleanup(() => rmSync(folder, { recursive: true, force: true }))
    const directory = join(folder, 'data')
    mkdirSync(directory, { mode: 0o700 })
    return directory
  })
  .extend('env', ({ directory }) => ({
    BOT_TOKEN: 'a-token-that-is-long-enough',
    BOT_NAME: 'bot',
    RELAY_URL: 'http://127.0.0.1:9',
    WEBHOOK_SECRET: 'hush',
    LISTEN: '127.0.0.1:0',
    DATA_DIR: directory,
  }))
  /** Set by a stranger that will not answer: time passes from then on. Until then it stands still. */
  .extend('silence', () => ({ isFallen: false }))
  .extend('patient', ({ env, silence }) => async (more: Record<string, string>, argv: string[] = []) => {
    const clock = new ManualClock(Date.now())
    const state = { isOver: false }
    const report = doctor(argv, { ...env, ...more }, { clock }).finally(() => (state.isOver = true))
    const passes = () => silence.isFallen && clock.isAwaited(doctorLimits.answerWithinMs)
    for (await pause(1); !state.isOver; await pause(1)) if (passes()) clock.advance(doctorLimits.answerWithinMs)
    return await report
  })

export type Silence = { isFallen: boolean }
export const fall = (silence: Silence): void => {
  silence.isFallen = true
}
