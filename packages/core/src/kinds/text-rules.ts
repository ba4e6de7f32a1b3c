// The text of a message: its limits and its view.
import type { Message } from '@postern/bot-api/objects'
import {
  assertKept,
  charsFault,
  entitiesCountFault,
  entityFault,
  mentionFault,
  mentionsCountFault,
  type TextEntity,
  textRange,
} from '@postern/protocol'
import type { Mention } from '@postern/protocol/content'
import type { ContentBodies } from './content-event.ts'

/** Without the timer, which is the chat's. */
export type NewText = Omit<ContentBodies['text'], 'kind' | 'timerMs'>

export function assertText(text: string, field: 'text' | 'caption' = 'text'): void {
  assertKept(field, charsFault(text, textRange))
}

type TextSpans = { mentions?: Mention[] | undefined; entities?: TextEntity[] | undefined }

/** Throws unless all mentions and entities fit their text. */
export function assertSpans(text: string, { mentions = [], entities = [] }: TextSpans): void {
  assertKept('mentions', mentionsCountFault(mentions))
  const mention = mentionFault(text, mentions)
  if (mention) assertKept(`mentions[${mention.at}]`, mention.rule)
  assertKept('entities', entitiesCountFault(entities))
  const entity = entityFault(text, entities)
  if (entity) assertKept(`entities[${entity.at}]`, entity.rule)
}

type Words = Omit<ContentBodies['text'], 'kind' | 'timerMs' | 'text'> & { text?: string | undefined }

/** The view of a text, of a file with its caption, and of a poll without its question. */
export const viewWords = (words: Words): Partial<Message> => {
  const { text, replyTo, mentions, entities, buttons, silent, forwarded } = words
  return {
    ...(text !== undefined && { text }),
    ...(replyTo && { reply_to: replyTo }),
    ...(mentions && mentions.length > 0 && { mentions }),
    ...(entities && entities.length > 0 && { entities }),
    ...(buttons && buttons.length > 0 && { buttons }),
    ...(silent && { silent: true }),
    ...(forwarded && { forwarded: true }),
  }
}
