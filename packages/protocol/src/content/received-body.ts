// What is left of somebody else's body where it keeps none of the rules of a sender: the message stays, what misleads goes.
import { isPlainUrl } from '../rules/button.ts'
import { cleanLine } from '../rules/line.ts'
import { fittingMentions } from '../rules/mentions.ts'
import type { Button, Mention } from './content-fields.ts'
import type { KnownBody } from './message-content.ts'

/** A label of which nothing would be seen: its place counts, so it stays. */
const UNSEEN_LABEL = '…'

type Worded = { text?: string | undefined; mentions?: Mention[] | undefined }

export function receivedBody(body: KnownBody): KnownBody {
  if (body.kind === 'poll') return { ...body, options: body.options.map(shownLabel) }
  // The mentions of an edit belong to a text that may be another by now.
  if (body.kind === 'edit') return { ...body, ...withClean(body) }
  if (body.kind !== 'text' && body.kind !== 'file') return body
  const { mentions, ...rest } = body
  return { ...rest, ...withFitting({ text: body.text, mentions }), ...withClean(body) }
}

/** The mentions that fit the text as it stands; none leave no list. */
export function withFitting({ text = '', mentions = [] }: Worded): { mentions?: Mention[] } {
  const fitting = fittingMentions(text, mentions)
  return fitting.length > 0 ? { mentions: fitting } : {}
}

function withClean({ buttons }: { buttons?: Button[][] | undefined }): { buttons?: Button[][] } {
  if (!buttons) return {}
  const rows = buttons.map(row => row.filter(isPlain).map(button => ({ ...button, text: shownLabel(button.text) })))
  return { buttons: rows.filter(row => row.length > 0) }
}

const shownLabel = (text: string): string => cleanLine(text) || UNSEEN_LABEL

const isPlain = (button: Button): boolean => 'data' in button || isPlainUrl(button.url)
