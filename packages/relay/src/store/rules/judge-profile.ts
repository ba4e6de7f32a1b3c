// Decides which version of a profile replaces the stored one.
import { equalBytes } from '@postern/protocol'

export type ProfileVersion = { version: number; blob: Uint8Array }

/** `same`: the answer to the first attempt was lost, so it is accepted again. */
export function judgeProfile(now: ProfileVersion | undefined, given: ProfileVersion): 'next' | 'same' | 'refused' {
  const version = now?.version ?? 0
  if (now && given.version === version && equalBytes(given.blob, now.blob)) return 'same'
  return given.version === version + 1 ? 'next' : 'refused'
}
