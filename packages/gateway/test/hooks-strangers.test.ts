// How often somebody who may not manage hooks is answered, also by a clock that jumps.
import { type AccountId, hookLimits } from '@postern/protocol'
import { expect, test } from 'vitest'
import { Strangers } from '../src/hooks/commands/strangers.ts'

const bob = 'bob' as AccountId

test('[R96] a clock that was set back by hours does not keep the bot silent for hours', () => {
  let nowMs = 7_200_000
  const strangers = new Strangers({ nowMs: () => nowMs, setTimer: () => ({ cancel: () => {} }) })
  const answered = () => Array.from({ length: 5 }, () => strangers.mayAnswer(bob)).filter(Boolean).length
  expect(answered()).toBe(hookLimits.strangerAnswersMax)
  nowMs = 0
  expect(answered()).toBe(hookLimits.strangerAnswersMax)
})
