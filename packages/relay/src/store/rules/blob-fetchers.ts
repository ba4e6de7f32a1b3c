// The fetchers of a blob with a limited number of them: the concatenated hashes of their tokens.
import { concatBytes, equalBytes } from '@postern/protocol'

const HASH_BYTES = 32

export function isFetcher(known: Uint8Array, fetcher: Uint8Array): boolean {
  for (let at = 0; at < known.length; at += HASH_BYTES)
    if (equalBytes(known.subarray(at, at + HASH_BYTES), fetcher)) return true
  return false
}

/** Adds a fetcher; returns undefined if the maximum is reached. */
export const withFetcher = (known: Uint8Array, fetcher: Uint8Array, fetches: number): Uint8Array | undefined =>
  known.length < fetches * HASH_BYTES ? concatBytes(known, fetcher) : undefined
