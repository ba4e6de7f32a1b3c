// What a newer client wrote: kept as it is, and shown as something that this version cannot show.
import type { Kind } from './kind.ts'
import { applyMessage } from './new-message.ts'

export const unknown = { way: 'in the chat', apply: applyMessage } satisfies Kind<'unknown'>
