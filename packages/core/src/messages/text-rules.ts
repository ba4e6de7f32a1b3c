// The words of a message, and how long they may be.
import { CodedError, charCount, contentLimits, HALF_RULE, type MessageId, mentionFault } from '@postern/protocol'
import type { Button, Mention } from '@postern/protocol/content'

export type NewText = { text: string; replyTo?: MessageId; mentions?: Mention[]; buttons?: Button[][] }

export function assertText(text: string, field: 'text' | 'caption' = 'text'): void {
  const count = charCount(text)
  if (count < 1 || count > contentLimits.textCharsMax)
    throw new CodedError('bad-field', { field, rule: `1 to ${contentLimits.textCharsMax} characters are allowed` })
  if (!text.isWellFormed()) throw new CodedError('bad-field', { field, rule: HALF_RULE })
}

/** Throws unless all of them fit the text under which they will stand. */
export function assertMentions(text: string, mentions: Mention[] = []): void {
  const fault = mentionFault(text, mentions)
  if (fault) throw new CodedError('bad-field', { field: `mentions[${fault.at}]`, rule: fault.rule })
}
