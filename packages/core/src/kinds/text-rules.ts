// The words of a message: how long they may be, and how they look from outside.
import type { Message } from '@postern/bot-api/objects'
import { assertKept, charsFault, mentionFault, mentionsCountFault, textRange } from '@postern/protocol'
import type { Mention } from '@postern/protocol/content'
import type { ContentBodies } from './content-event.ts'

/** The timer is the chat's. */
export type NewText = Omit<ContentBodies['text'], 'kind' | 'timerMs'>

export function assertText(text: string, field: 'text' | 'caption' = 'text'): void {
  assertKept(field, charsFault(text, textRange))
}

/** Throws unless all of them fit the text under which they will stand. */
export function assertMentions(text: string, mentions: Mention[] = []): void {
  assertKept('mentions', mentionsCountFault(mentions))
  const fault = mentionFault(text, mentions)
  if (fault) assertKept(`mentions[${fault.at}]`, fault.rule)
}

type Words = Pick<ContentBodies['file'], 'text' | 'replyTo' | 'mentions' | 'buttons'>

/** Of a text, and of a file with its caption. */
export const viewWords = ({ text, replyTo, mentions, buttons }: Words): Partial<Message> => ({
  ...(text !== undefined && { text }),
  ...(replyTo && { reply_to: replyTo }),
  ...(mentions && mentions.length > 0 && { mentions }),
  ...(buttons && buttons.length > 0 && { buttons }),
})
