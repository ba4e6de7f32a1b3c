// The options that the command lines of the fuzz and of the power cuts accept, and the errors for others.
import { expect, test } from 'vitest'
import { countedOptions } from '../src/counted-options.ts'

test('what is absent is as usual, and a seed is drawn', () => {
  expect(countedOptions([], { cuts: 50 })).toEqual({ cuts: 50, seed: expect.any(Number), isJson: false, only: [] })
  expect(countedOptions(['--cuts', '3', '--seed', '7', '--json'], { cuts: 50 })).toEqual({
    cuts: 3,
    seed: 7,
    isJson: true,
    only: [],
  })
})

test('faults are chosen by name, where a campaign has names for them', () => {
  const chosen = (text: string) => countedOptions(['--only', text], { kills: 9 }, ['storm', 'kill'])
  expect(chosen('kill,storm')).toMatchObject({ only: ['kill', 'storm'] })
  expect(chosen('kill,frost')).toBe('--only: "frost" is not one of storm, kill')
})

test.each([
  [['--cuts', 'x'], /--cuts takes a whole number from 0 to 10000000, not "x"/],
  [['--cuts', '-1'], /--cuts/],
  [['--cuts', '10000001'], /--cuts/],
  [['--seed', '4294967296'], /--seed takes a whole number from 0 to 4294967295/],
  [['--parts', 'relay'], /--parts/],
  [['--only', 'kill'], /--only/],
  [['relay'], /relay/],
])('%j is refused by a sentence', (args, sentence) => {
  expect(countedOptions(args, { cuts: 50 })).toMatch(sentence)
})
