// A greeting: who one is stands beside it in the content, and nothing else is said.
import { applied } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const hello = {
  way: 'in the chat',
  body: () => ({ kind: 'hello' }),
  apply: () => applied,
} satisfies Kind<'hello'>
