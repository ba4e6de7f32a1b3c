// What a caller knows of the file already: conditions on its ETag (RFC 9110, section 13). It has no date to ask for.

type Conditions = { 'if-match'?: string | undefined; 'if-none-match'?: string | undefined }

/** `other`: not the file that is wanted. `known`: the caller has it already. */
type Verdict = 'wanted' | 'other' | 'known'

export function judge(etag: string, { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: Conditions): Verdict {
  if (ifMatch !== undefined && !names(ifMatch, [etag])) return 'other'
  if (ifNoneMatch !== undefined && names(ifNoneMatch, [etag, `W/${etag}`])) return 'known'
  return 'wanted'
}

function names(header: string, accepted: string[]): boolean {
  if (header.trim() === '*') return true
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(tag => accepted.includes(tag))
}
