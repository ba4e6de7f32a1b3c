// A rule is a function from a value to a sentence about its fault. The HTTP API, core and message content use the same rules.
import { CodedError } from '../errors.ts'

/** The sentence of the broken rule, or undefined. */
export type Fault = string | undefined

/** Throws when a field breaks a rule. */
export function assertKept(field: string, fault: Fault): void {
  if (fault !== undefined) throw new CodedError('bad-field', { field, rule: fault })
}
