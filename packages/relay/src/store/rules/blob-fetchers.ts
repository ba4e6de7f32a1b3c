// Who may fetch a blob whose owner allows a number of fetchers: the hashes of their tokens, one behind the other.
import { concatBytes, equalBytes } from '@postern/protocol'

const HASH_BYTES = 32

export function isFetcher(known: Uint8Array, fetcher: Uint8Array): boolean {
  for (let at = 0; at < known.length; at += HASH_BYTES)
    if (equalBytes(known.subarray(at, at + HASH_BYTES), fetcher)) return true
  return false
}

/** With one fetcher more; undefined when there are as many as may be. */
export const withFetcher = (known: Uint8Array, fetcher: Uint8Array, fetches: number): Uint8Array | undefined =>
  known.length < fetches * HASH_BYTES ? concatBytes(known, fetcher) : undefined
