// The words of a message, and how long they may be.
import { CodedError, charCount, contentLimits, type MessageId } from '@postern/protocol'
import type { Button, Mention } from '@postern/protocol/content'

export type NewText = { text: string; replyTo?: MessageId; mentions?: Mention[]; buttons?: Button[][] }

export function assertText(text: string, field: 'text' | 'caption' = 'text'): void {
  const count = charCount(text)
  if (count < 1 || count > contentLimits.textCharsMax)
    throw new CodedError('bad-field', { field, rule: `1 to ${contentLimits.textCharsMax} characters are allowed` })
}
