// Retries while somebody waits.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CallError } from '../src/contract/calls.ts'
import { askUntilAnswered, type PauseThen } from '../src/parts/ask-until.ts'
import { toasts } from '../src/parts/toasts/toast-list.ts'

/** Pauses that the test ends; their intended durations. */
class Pauses {
  readonly lengths: number[] = []
  #run: (() => void) | undefined

  readonly pause: PauseThen = (pauseMs, run) => {
    this.lengths.push(pauseMs)
    this.#run = run
    return () => {
      this.#run = undefined
    }
  }

  get isPending(): boolean {
    return this.#run !== undefined
  }

  end(): void {
    this.#run?.()
  }
}

beforeEach(() => vi.stubGlobal('reportError', vi.fn()))
afterEach(() => vi.unstubAllGlobals())

const fault = (code: string): CallError => new CallError({ code, message: '' })

test('[APP-1.23] What a person waits for is asked again with growing pauses until it is answered', async () => {
  const pauses = new Pauses()
  let failures = 7
  const answered = vi.fn()
  const ask = vi.fn(async () => {
    if (failures-- > 0) throw fault('relay-unreachable')
    return 'Harbour'
  })
  askUntilAnswered(ask, { answered }, pauses.pause)
  for (let tries = 1; tries <= 7; tries++) {
    await expect.poll(() => pauses.lengths).toHaveLength(tries)
    pauses.end()
  }
  await expect.poll(() => answered.mock.calls).toEqual([['Harbour']])
  expect(pauses.lengths).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
  expect(ask).toHaveBeenCalledTimes(8)
})

test('[APP-1.23] An answer that is not complete yet is shown and asked for again', async () => {
  const pauses = new Pauses()
  const answers = ['', '', 'Harbour']
  const answered = vi.fn()
  const isComplete = (name: string): boolean => name !== ''
  askUntilAnswered(async () => answers.shift() ?? 'too often', { answered, isComplete }, pauses.pause)
  for (let tries = 1; tries <= 2; tries++) {
    await expect.poll(() => pauses.lengths).toHaveLength(tries)
    pauses.end()
  }
  await expect.poll(() => answered.mock.calls).toEqual([[''], [''], ['Harbour']])
  expect(pauses.lengths).toEqual([1000, 2000])
})

test('[APP-1.23] What asking again would not change is asked once', async () => {
  const pauses = new Pauses()
  const refused = vi.fn()
  const error = fault('invite-malformed')
  askUntilAnswered(() => Promise.reject(error), { answered: () => undefined, refused }, pauses.pause)
  await expect.poll(() => refused.mock.calls).toEqual([[error]])
  expect(pauses.lengths).toEqual([])
})

test('[APP-1.23] A fault that nobody hears of is shown', async () => {
  toasts.value = []
  const pauses = new Pauses()
  askUntilAnswered(() => Promise.reject(fault('invite-malformed')), { answered: () => undefined }, pauses.pause)
  await expect.poll(() => toasts.value.map(({ text }) => text)).toEqual([expect.stringMatching('link is not complete')])
})

test('[APP-1.23] Nothing is asked for a screen that is gone', async () => {
  const pauses = new Pauses()
  const ask = vi.fn(() => Promise.reject(fault('relay-unreachable')))
  const stop = askUntilAnswered(ask, { answered: () => undefined }, pauses.pause)
  await expect.poll(() => pauses.isPending).toBe(true)
  stop()
  expect(pauses.isPending).toBe(false)
  const late = Promise.withResolvers<string>()
  const answered = vi.fn()
  askUntilAnswered(() => late.promise, { answered }, pauses.pause)()
  late.resolve('Harbour')
  await late.promise
  expect(answered).not.toHaveBeenCalled()
})
