// Which version of a profile takes the place of another.
import { equalBytes } from '@postern/protocol'

export type ProfileVersion = { version: number; blob: Uint8Array }

/** `same`: the answer to the first try was lost, and it is accepted once more. */
export function judgeProfile(now: ProfileVersion | undefined, given: ProfileVersion): 'next' | 'same' | 'refused' {
  const version = now?.version ?? 0
  if (now && given.version === version && equalBytes(given.blob, now.blob)) return 'same'
  return given.version === version + 1 ? 'next' : 'refused'
}
