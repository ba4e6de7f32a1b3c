// What became of a request that sends, as a figure.
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

export function outcomeOf(error: unknown): 'refused' | 'unavailable' | 'failed' {
  const { code } = apiErrorOf(error)
  if (code === 'unavailable') return 'unavailable'
  return code === 'internal' ? 'failed' : 'refused'
}
