// The requirements for an answer to any request: a documented status, and an error as documented.
import { apiError, apiStatuses, type Endpoint, type EndpointName, endpoints, makeOpenapi } from '@postern/bot-api'
import type { HttpAnswer } from './http-line.ts'
import type { TelegramName } from './request-shape.ts'

const { paths } = makeOpenapi({ version: 'campaign' })
const INTERNAL = 500
const JSON_TYPE = 'application/json; charset=utf-8'
const TRACE = /\.ts\b|node_modules|\bat .*:\d/

const documented = new Map(
  (Object.entries(endpoints) as [EndpointName, Endpoint][]).map(([name, { path, method }]) => {
    const { responses = {} } = paths[path]?.[method.toLowerCase()] ?? {}
    return [name, new Set(Object.keys(responses).map(Number))]
  }),
)
/** For a mutated path or method: it may have become any other. */
const anywhere = new Set([...documented.values()].flatMap(statuses => [...statuses]))

/** The fault of the answer, or undefined. */
export function answerFault(
  { status, headers, body }: HttpAnswer,
  { name, isHead }: { name: EndpointName | TelegramName | undefined; isHead: boolean },
): string | undefined {
  if (status === INTERNAL) return 'it was answered 500'
  if (name === 'telegram call' || name === 'telegram file') return telegramFault({ status, headers, body }, name)
  const allowed = name === undefined ? anywhere : documented.get(name)
  if (!allowed?.has(status)) return `it was answered ${status}, which ${name ?? 'no endpoint'} does not document`
  if (isHead) return undefined
  // A mutated address may have stayed one of the Telegram Bot API.
  if (name === undefined && telegramFault({ status, headers, body }, 'telegram call') === undefined) return undefined
  if (status >= 400 && status !== 412 && status !== 416) return errorFault(status, { headers, body, name })
  return name !== undefined && status === 200 ? contentFault(name, body) : undefined
}

const telegramStatuses = new Set([200, 400, 401, 403, 404, 409, 502])

type TelegramAnswer = { ok?: unknown; result?: unknown; error_code?: unknown; description?: unknown }

/** The file itself may be answered like any other file. */
function telegramFault({ status, headers, body }: HttpAnswer, name: TelegramName): string | undefined {
  if (name === 'telegram file' && [200, 206, 304, 412, 416].includes(status)) return undefined
  if (!telegramStatuses.has(status)) return `it was answered ${status}, which is no status of the Telegram Bot API`
  if (headers.get('content-type') !== JSON_TYPE) return `its type is ${headers.get('content-type')}`
  const answer = (jsonOf(body) ?? {}) as TelegramAnswer & { error?: unknown }
  // Refused before its address was read.
  if (status === 400 && /^(?:request|headers): /.test(String(answer.error))) return undefined
  const { description } = answer
  if (status === 200 && answer.ok === true && answer.result !== undefined) return undefined
  if (status === 200 || answer.ok !== false || answer.error_code !== status || typeof description !== 'string')
    return `its body is no answer of the Telegram Bot API: ${body.toString().slice(0, 300)}`
  return description === '' || TRACE.test(description) ? `its sentence is: ${description}` : undefined
}

type Refusal = Pick<HttpAnswer, 'headers' | 'body'> & { name: EndpointName | undefined }

function errorFault(status: number, { headers, body, name }: Refusal): string | undefined {
  if (headers.get('content-type') !== JSON_TYPE) return `its type is ${headers.get('content-type')}`
  const parsed = apiError.safeParse(jsonOf(body))
  if (!parsed.success) return `its body is no documented error: ${body.toString().slice(0, 300)}`
  const { code, error } = parsed.data
  const own: Endpoint['statuses'] = name === undefined ? undefined : (endpoints[name] as Endpoint).statuses
  if (name !== undefined && (own?.[code] ?? apiStatuses[code]) !== status) return `${code} was answered by ${status}`
  if (!error.endsWith('.') || TRACE.test(error)) return `its sentence is: ${error}`
  return undefined
}

function contentFault(name: EndpointName, body: Buffer): string | undefined {
  const { answer, answerType } = endpoints[name] as Endpoint
  if (answerType !== undefined) return undefined
  const parsed = answer.safeParse(jsonOf(body))
  return parsed.success ? undefined : `its content is not as documented: ${parsed.error.message.slice(0, 300)}`
}

export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
