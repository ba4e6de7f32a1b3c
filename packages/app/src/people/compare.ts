// Compares a scanned code with a person's keys.
import type { SafetyNumberView } from '../contract/objects.ts'

export type ComparisonResult = 'same' | 'different'

/**
 * The whole text must be the same. A completely different code counts as different, too: an attacker in between could
 * show just that, and a person must not mistake it for a slip.
 */
export const compareCodes = ({ qr }: SafetyNumberView, scanned: string): ComparisonResult =>
  qr !== '' && scanned === qr ? 'same' : 'different'

/** Twelve groups of five digits, however they are separated. */
export const digitGroups = (number: string): string[] => number.replaceAll(/\D/g, '').match(/.{1,5}/g) ?? []
