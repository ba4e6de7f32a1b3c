// Content of a newer client: kept unchanged, and shown as something that this version cannot display.
import type { Kind } from './kind.ts'
import { applyMessage } from './new-message.ts'

export const unknown = { way: 'in the chat', apply: applyMessage } satisfies Kind<'unknown'>
