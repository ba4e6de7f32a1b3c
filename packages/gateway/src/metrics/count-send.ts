// Counts the outcome and the duration of requests that send.
import { apiErrorOf } from '@postern/bot-api'
import type { Metrics } from './metrics.ts'

export async function countSend<T>(metrics: Metrics, sending: Promise<T>): Promise<T> {
  try {
    const sent = await sending
    metrics.sends.add('sent')
    return sent
  } catch (error) {
    metrics.sends.add(outcomeOf(error))
    throw error
  }
}

/** Times a send that goes out immediately: a file takes as long as its sender, and a group as its members. */
export async function timeSend<T>(metrics: Metrics, send: () => Promise<T>): Promise<T> {
  const isSent = metrics.sendSeconds.begin()
  const sent = await countSend(metrics, send())
  isSent()
  return sent
}

export function outcomeOf(error: unknown): 'refused' | 'unavailable' | 'failed' {
  const { code } = apiErrorOf(error)
  if (code === 'unavailable') return 'unavailable'
  return code === 'internal' ? 'failed' : 'refused'
}
