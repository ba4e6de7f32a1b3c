// The progress of long work, on a terminal and elsewhere, with the time of the test.
import { EventEmitter } from 'node:events'
import { ProgressLine } from '@postern/protocol/node'
import { ManualClock } from '@postern/testkit'
import { expect, test } from 'vitest'
import { BackupProgress, bytesStep, checkStep } from '../src/backup/progress.ts'

const MIB = 1024 * 1024

class Output extends EventEmitter {
  readonly isTTY: boolean
  readonly columns = 20
  written = ''

  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
  }

  write(text: string): boolean {
    this.written += text
    return true
  }

  /** The text that was written since the last call. */
  next(): string {
    const text = this.written
    this.written = ''
    return text
  }
}

test('[CLI-1.28] without a terminal: nothing for two seconds, then a line every ten', () => {
  const [clock, output] = [new ManualClock(0), new Output(false)]
  const line = new ProgressLine(output, clock)
  let asked = 0
  const said = (afterMs: number): string => {
    clock.advance(afterMs)
    line.now(() => `step ${++asked}`)
    return output.next()
  }
  expect([said(0), said(1_999), said(1), said(5_000), said(4_999), said(1)]).toEqual([
    '',
    '',
    'step 1\n',
    '',
    '',
    'step 2\n',
  ])
  line.end()
  expect(output.next()).toBe('')
})

test('[CLI-1.28] on a terminal: one line, updated in place, cut to its width, and cleared before other text', () => {
  const [clock, output] = [new ManualClock(0), new Output(true)]
  const line = new ProgressLine(output, clock)
  line.now(() => 'too early')
  line.end()
  expect(output.next()).toBe('')
  clock.advance(2_000)
  line.now(() => 'one')
  clock.advance(199)
  line.now(() => 'too soon')
  clock.advance(1)
  line.now(() => 'two, which is far too long')
  line.end()
  line.end()
  expect(output.next()).toBe('\r\u001b[Kone\r\u001b[Ktwo, which is far t\r\u001b[K')
})

test('[CLI-1.28] a step that cannot report is announced if it is large, or if the work has taken long', () => {
  const [clock, output] = [new ManualClock(0), new Output(false)]
  const line = new ProgressLine(output, clock)
  line.before('small', MIB)
  expect(output.next()).toBe('')
  line.before('large', 64 * MIB)
  expect(output.next()).toBe('large\n')
  clock.advance(10_000)
  line.before('small again', MIB)
  expect(output.next()).toBe('small again\n')
})

test.for([
  [false, 'Checking the database, 67.1 MB\n', '1.0 MB copied\n', 'Backed up.\n'],
  [
    true,
    '{"progress":{"step":"checking","bytes":67108864}}\n',
    '{"progress":{"step":"copied","bytes":1000000}}\n',
    '{"done":{}}\n',
  ],
] as const)('[CLI-5.8] a backup, with JSON %s: JSON is never updated in place', ([isJson, check, copied, done]) => {
  const [clock, output, result] = [new ManualClock(0), new Output(isJson), new Output(false)]
  const progress = new BackupProgress(output, { isJson, clock })
  progress.before(checkStep(64 * MIB), 64 * MIB)
  clock.advance(10_000)
  progress.now(() => bytesStep('copied', 1e6))
  progress.say(result, { text: 'Backed up.', facts: { done: {} } })
  expect([output.next(), result.next()]).toEqual([check + copied, done])
})
