// How often an account that may not manage hooks is answered, also while the clock is set.
import { type AccountId, hookLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { expect, test } from 'vitest'
import { Strangers } from '../src/hooks/strangers.ts'

const bob = 'bob' as AccountId

test('[GATEWAY-10.20] a clock that is set by hours makes the bot neither talk nor keep silent', () => {
  const clock = new ManualClock()
  const strangers = new Strangers(clock)
  const answered = () => Array.from({ length: 5 }, () => strangers.mayAnswer(bob)).filter(Boolean).length
  expect(answered()).toBe(hookLimits.strangerAnswersMax)
  clock.set(7_200_000)
  expect(answered()).toBe(0)
  clock.set(-14_400_000)
  clock.advance(hookLimits.strangerAnswersMs)
  expect(answered()).toBe(hookLimits.strangerAnswersMax)
})
