// Cleans a received body that breaks the sender's rules: the message stays, and misleading parts are removed.
import { isPlainUrl } from '../rules/button.ts'
import { fittingEntities, type TextEntity } from '../rules/entities.ts'
import { cleanLine } from '../rules/line.ts'
import { fittingMentions } from '../rules/mentions.ts'
import { isSmallPictureUrl } from '../rules/picture.ts'
import type { Button, Mention } from './content-fields.ts'
import type { FileBody, KnownBody, PollBody } from './message-content.ts'

/** Replaces an invisible label: its position counts, so the button stays. */
const UNSEEN_LABEL = '…'

type Worded = {
  text?: string | undefined
  mentions?: Mention[] | undefined
  entities?: TextEntity[] | undefined
}

export function receivedBody(body: KnownBody): KnownBody {
  if (body.kind === 'poll') return receivedPoll(body)
  // The mentions and entities of an edit belong to a text that may have changed since.
  if (body.kind === 'edit') return { ...body, ...withClean(body) }
  if (body.kind !== 'text' && body.kind !== 'file') return body
  const { mentions, entities, ...rest } = body
  const shown = rest.kind === 'file' ? withoutLargePreview(rest) : rest
  return { ...shown, ...withFitting({ text: body.text, mentions, entities }), ...withClean(body) }
}

function receivedPoll({ mentions, ...poll }: PollBody): PollBody {
  const fitting = withFitting({ text: poll.question, mentions })
  return { ...poll, ...fitting, ...withClean(poll), options: poll.options.map(shownLabel) }
}

/** A preview is decoded wherever the message is shown, before anybody asked for the file. */
function withoutLargePreview({ preview, ...file }: FileBody): FileBody {
  return { ...file, ...(preview !== undefined && isSmallPictureUrl(preview) && { preview }) }
}

/** The mentions and entities that fit the current text; if none fit, there is no list. */
export function withFitting({
  text = '',
  mentions = [],
  entities = [],
}: Worded): Pick<Worded, 'mentions' | 'entities'> {
  const fitting = { mentions: fittingMentions(text, mentions), entities: fittingEntities(text, entities) }
  return {
    ...(fitting.mentions.length > 0 && { mentions: fitting.mentions }),
    ...(fitting.entities.length > 0 && { entities: fitting.entities }),
  }
}

function withClean({ buttons }: { buttons?: Button[][] | undefined }): { buttons?: Button[][] } {
  if (!buttons) return {}
  const rows = buttons.map(row => row.filter(isPlain).map(button => ({ ...button, text: shownLabel(button.text) })))
  return { buttons: rows.filter(row => row.length > 0) }
}

const shownLabel = (text: string): string => cleanLine(text) || UNSEEN_LABEL

const isPlain = (button: Button): boolean => 'data' in button || isPlainUrl(button.url)
