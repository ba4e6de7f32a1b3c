// The processor time of work in each of several processes, including its follow-ups.
import { setTimeout as wait } from 'node:timers/promises'
import type { Child } from '../processes/child.ts'

/** Receipts and acknowledgements follow their messages: they are counted with them. */
const SETTLE_MS = 500

/** CPU in µs. */
export async function spentUs(processes: Child[], work: () => Promise<void>): Promise<number[]> {
  const usages = () => Promise.all(processes.map(child => child.usage()))
  const before = await usages()
  await work()
  await wait(SETTLE_MS)
  const after = await usages()
  return after.map(({ cpuMs }, at) => (cpuMs - (before[at]?.cpuMs ?? 0)) * 1000)
}
