// A failed delivery is retried after a second at the earliest.
import type { Finding } from './finding.ts'

/** `failed`: the receiver itself made it fail, so that the sender noticed at that moment. `life`: of the sender. */
export type Attempt = { update: number; atMs: number; failedAtMs?: number; how?: string; life: number }

/** Clocks of the machine round, and a timer may be slightly early. */
const SECOND_MS = 950

export const checkAttempts = (attempts: readonly Attempt[]): Finding[] =>
  attempts.flatMap((attempt, at): Finding[] => {
    const before = attempts[at - 1]
    if (before?.failedAtMs === undefined || before.life !== attempt.life) return []
    const afterMs = Math.round(attempt.atMs - before.failedAtMs)
    if (afterMs >= SECOND_MS) return []
    const what = `update ${attempt.update} came again ${afterMs} ms after the receiver ${before.how ?? 'failed'}`
    return [{ wrong: 'early-retry', deed: 'webhook', what }]
  })
