// The photos, files, voices and links of a chat, a span at a time.
import type { MediaPlace } from '@postern/core'
import { appLimits, isCoded } from '@postern/protocol'
import type { Message } from '../../contract/objects.ts'
import type { MediaSpan, ViewArgs } from '../../contract/views.ts'
import type { Account } from '../account/open-account.ts'
import { AppError } from '../app-error.ts'
import { chatId, count, fields, oneOf } from '../shapes.ts'

const kindsOf = { seen: ['photo', 'video'], files: ['file'], voices: ['voice'], links: 'links' } as const
const mediaKind = oneOf('seen', 'files', 'voices', 'links')
const spanFields = fields({}, { before: count, from: count, around: count })

export function readMedia({ client }: Account, ...[id, kind, span, limit]: ViewArgs<'media'>): Message[] {
  const chat = chatId(id, 'chat')
  if (!Number.isInteger(limit) || limit < 1 || limit > appLimits.historyRowsMax)
    throw new AppError('call-malformed', { field: 'limit' })
  try {
    // Nothing of a stranger's pictures is shown before the request is accepted.
    if (client.chats.get(chat).state === 'request') return []
    return client.messages.media(chat, { kinds: kindsOf[mediaKind(kind, 'kind')], limit, ...placeOf(span) })
  } catch (error) {
    if (isCoded(error, 'chat-not-found')) return []
    throw error
  }
}

function placeOf(span: MediaSpan): MediaPlace {
  const { around, before, from } = spanFields(span, 'span')
  if (around !== undefined) return { aroundTs: around }
  return { ...(before !== undefined && { beforeTs: before }), ...(from !== undefined && { fromTs: from }) }
}
