// Conditional requests by ETag (RFC 9110, section 13). Files have no date to compare.

type Preconditions = { 'if-match'?: string | undefined; 'if-none-match'?: string | undefined }

/** `other`: not the requested file. `known`: the caller already has it. */
type PreconditionResult = 'wanted' | 'other' | 'known'

export function evaluatePreconditions(
  etag: string,
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: Preconditions,
): PreconditionResult {
  if (ifMatch !== undefined && !names(ifMatch, [etag])) return 'other'
  if (ifNoneMatch !== undefined && names(ifNoneMatch, [etag, `W/${etag}`])) return 'known'
  return 'wanted'
}

function names(header: string, accepted: string[]): boolean {
  if (header.trim() === '*') return true
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(tag => accepted.includes(tag))
}
