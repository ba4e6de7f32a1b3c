// A greeting: the sender's name is beside it in the content, and it contains nothing else.
import { applied } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const hello = {
  way: 'in the chat',
  body: () => ({ kind: 'hello' }),
  apply: () => applied,
} satisfies Kind<'hello'>
