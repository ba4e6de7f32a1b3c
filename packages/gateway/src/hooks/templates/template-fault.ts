// The refusal of a template.
import { CodedError } from '@postern/protocol'

/** The template breaks this rule, alone or with a body. The rule never contains a posted word. */
export const templateFault = (rule: string): CodedError => new CodedError('bad-field', { field: 'template', rule })
