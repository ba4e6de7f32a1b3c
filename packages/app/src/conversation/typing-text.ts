// The line that says who is typing.
import { conversationWords } from './words.ts'

/** Undefined when nobody is. A private chat needs no name: it is next to the line. */
export function typingText(names: readonly string[], type: 'private' | 'group'): string | undefined {
  const w = conversationWords.value
  const [first, second] = names
  if (first === undefined) return undefined
  if (type === 'private') return w.typing
  if (second === undefined) return w.oneTypes(first)
  return names.length === 2 ? w.twoType(first, second) : w.manyType(names.length)
}
