// The words of a request: a text with Telegram's entities or marks becomes a text with our entities and mentions.
import { fittingEntities, gatewayLimits, type TextEntity } from '@postern/protocol'
import type { Parameters } from '../parameters.ts'
import { badRequest } from '../telegram-error.ts'
import { readHtml } from './html.ts'
import { readMarkdown } from './markdown.ts'
import { readMarkdownV2 } from './markdown-v2.ts'
import { type TelegramEntity, type TelegramWords, typeHere } from './telegram-entity.ts'

export type ParsedWords = { text: string; entities?: TextEntity[]; mentions?: OutgoingMention[] }
type OutgoingMention = { user: string; offset: number; length: number }

export type WordFields = { text: string; entities: 'entities' | 'caption_entities' | 'question_entities' }

/** `accountOf`: the id of an account with that number, if there is one. */
export function wordsOf(
  parameters: Parameters,
  { text, entities: field }: WordFields,
  accountOf: (number: string) => string | undefined,
): ParsedWords {
  // Far above any text that can be sent, whatever its marks.
  if (text.length > gatewayLimits.telegramMarkedUnitsMax) throw badRequest('message is too long')
  const mode = parameters.text('parse_mode')?.toLowerCase() ?? ''
  const { text: plain, entities } = mode === '' ? { text, entities: entitiesIn(parameters, field) } : reader(mode)(text)
  const formatting = fittingEntities(
    plain,
    entities.flatMap(entity => {
      const type = typeHere(entity.type)
      return type === undefined ? [] : [{ ...entity, type }]
    }),
  )
  const mentions = entities.flatMap(({ type, user, offset, length }) => {
    const account = type === 'text_mention' && user !== undefined ? accountOf(user) : undefined
    return account === undefined ? [] : [{ user: account, offset, length }]
  })
  return {
    text: plain,
    ...(formatting.length > 0 && { entities: formatting }),
    ...(mentions.length > 0 && { mentions: mentions.toSorted((one, other) => one.offset - other.offset) }),
  }
}

function reader(mode: string): (text: string) => TelegramWords {
  switch (mode) {
    case 'html':
      return readHtml
    case 'markdown':
      return readMarkdown
    case 'markdownv2':
      return readMarkdownV2
    default:
      throw badRequest('unsupported parse_mode')
  }
}

function entitiesIn(parameters: Parameters, field: string): TelegramEntity[] {
  return (parameters.objects(field) ?? []).map(entity => {
    const [url, lang, user] = [entity.text('url'), entity.text('language'), entity.object('user')?.text('id')]
    return {
      type: entity.need('type'),
      offset: entity.needInteger('offset'),
      length: entity.needInteger('length'),
      ...(url !== undefined && { url }),
      ...(lang !== undefined && { lang }),
      ...(user !== undefined && { user }),
    }
  })
}
