// Errors in Telegram's wording: libraries and bots match some of these sentences.
import { apiErrorOf } from '@postern/bot-api'
import { CodedError, type ErrorCode, systemFault } from '@postern/protocol'

export class TelegramError extends Error {
  /** Also the HTTP status. */
  readonly status: number

  constructor(status: number, description: string, options: ErrorOptions = {}) {
    super(description, options)
    this.name = 'TelegramError'
    this.status = status
  }
}

export const badRequest = (what: string): TelegramError => new TelegramError(400, `Bad Request: ${what}`)

const worded: Partial<Record<ErrorCode, readonly [status: number, description: string]>> = {
  'chat-not-found': [400, 'Bad Request: chat not found'],
  'account-not-found': [400, 'Bad Request: user not found'],
  'person-not-found': [400, 'Bad Request: user not found'],
  'message-not-found': [400, 'Bad Request: message not found'],
  'edit-too-late': [400, "Bad Request: message can't be edited"],
  'poll-not-editable': [400, "Bad Request: message can't be edited"],
  'poll-closed': [400, 'Bad Request: poll has already been closed'],
  'not-a-poll': [400, 'Bad Request: message with poll to stop not found'],
  'not-own-poll': [400, "Bad Request: poll can't be stopped"],
  'not-own-message': [400, "Bad Request: message can't be edited"],
  'not-an-admin': [400, 'Bad Request: not enough rights'],
  'not-a-member': [400, 'Bad Request: user not found'],
  'chat-left': [403, 'Forbidden: bot is not a member of the group chat'],
  'account-deleted': [403, 'Forbidden: user is deactivated'],
  'no-file': [400, 'Bad Request: wrong file_id or the file is temporarily unavailable'],
  'file-gone': [400, 'Bad Request: wrong file_id or the file is temporarily unavailable'],
  'file-damaged': [400, 'Bad Request: wrong file_id or the file is temporarily unavailable'],
}

const pressIsOver = 'Bad Request: query is too old and response timeout expired or query ID is invalid'
for (const code of ['press-not-found', 'press-too-late', 'press-answered'] as const) worded[code] = [400, pressIsOver]

/** The answer to any fault; `undefined` if it is one of ours. Its text reveals nothing that our own API does not. */
export function telegramErrorOf(fault: unknown): TelegramError | undefined {
  if (fault instanceof TelegramError) return fault
  const error = systemFault(fault)
  if (!(error instanceof CodedError)) return undefined
  const known = worded[error.code]
  if (known) return new TelegramError(...known, { cause: error })
  if (error.code === 'bad-field') return new TelegramError(400, badFieldText(error), { cause: error })
  const { error: text, code } = apiErrorOf(error)
  if (code === 'internal') return undefined
  // Libraries repeat a request after a 502. After a 429 they would wait for a limit that does not exist.
  if (code === 'unavailable') return new TelegramError(502, `Bad Gateway: ${text}`, { cause: error })
  return new TelegramError(400, `Bad Request: ${text}`, { cause: error })
}

function badFieldText({ message, details: { field = '', rule = '' } }: CodedError): string {
  const isData = /^buttons.*\.data$/.test(String(field))
  if (isData) return 'Bad Request: BUTTON_DATA_INVALID'
  if (/^buttons.*\.url$/.test(String(field))) return `Bad Request: BUTTON_URL_INVALID: the address ${String(rule)}`
  if (field === 'kind') return `Bad Request: IMAGE_PROCESS_FAILED: a photo ${String(rule)}`
  if (field === 'text' && String(rule).includes('characters')) return `Bad Request: message is too long (${message})`
  if (field === 'caption' && String(rule).includes('characters'))
    return `Bad Request: message caption is too long (${message})`
  return `Bad Request: ${message}`
}
