// What a scanned code says about somebody's keys.
import type { SafetyNumberView } from '../contract/objects.ts'

export type ComparisonResult = 'same' | 'different'

/**
 * The whole text must be the same. A code of something else altogether is different, too:
 * whoever stands in between could show just that, and a person must not take it for a slip.
 */
export const compareCodes = ({ qr }: SafetyNumberView, scanned: string): ComparisonResult =>
  qr !== '' && scanned === qr ? 'same' : 'different'

/** Twelve groups of five digits, however they are parted. */
export const digitGroups = (number: string): string[] => number.replaceAll(/\D/g, '').match(/.{1,5}/g) ?? []
