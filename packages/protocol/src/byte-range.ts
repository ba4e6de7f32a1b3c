// The Range header of a download: one range of bytes, or none.

export type ByteRange = { kind: 'whole' } | { kind: 'part'; start: number; end: number } | { kind: 'unsatisfiable' }

/** RFC 9110, section 14: an unknown form is ignored, and a range after the end cannot be satisfied. */
export function parseByteRange(header: string | undefined, size: number): ByteRange {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return { kind: 'whole' }
  if (first === '') return part(Math.max(0, size - Number(last)), size - 1, size)
  if (last !== '' && Number(last) < Number(first)) return { kind: 'whole' }
  return part(Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1), size)
}

const part = (start: number, end: number, size: number): ByteRange =>
  start < size && start <= end ? { kind: 'part', start, end } : { kind: 'unsatisfiable' }
