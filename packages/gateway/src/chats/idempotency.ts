// Identifies a request under an Idempotency-Key: the key, and a hash of everything that a retry must repeat.
import { hash } from 'node:crypto'
import type { Idempotency } from '@postern/core'

/** `request` holds the validated fields: the order of fields and unknown ones do not matter. */
export function idempotencyOf(key: string | undefined, request: object): { idempotency?: Idempotency } {
  if (key === undefined) return {}
  return { idempotency: { key, request: hash('sha256', JSON.stringify(request), 'buffer') } }
}
