// Answers requests that the HTTP parser rejects with a status and {error, code}, like every other refusal.
import type { IncomingMessage } from 'node:http'
import { CodedError } from '@postern/protocol'
import { MalformedHttp, type ParserFault, type RawAnswer } from '@postern/protocol/node'
import type { RelayLimits } from '../limits/relay-limits.ts'

type Refusal = { status: string; field: string; rule: string }

export const refuseMalformed = (limits: RelayLimits): MalformedHttp =>
  new MalformedHttp({
    refusalOf: fault => answerOf(refusalOf(fault, limits)),
    connectRefusal: () => answerOf(noMethod),
    lingerMs: limits.httpIdleMs,
  })

function answerOf({ status, field, rule }: Refusal): RawAnswer {
  const { message, code } = new CodedError('bad-field', { field, rule })
  return { status, type: 'application/json', body: JSON.stringify({ error: message, code }) }
}

/** Node would answer a request without Host with a status alone. */
export function assertHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new CodedError('bad-field', { field: 'Host', rule: 'is required' })
}

const noMethod: Refusal = { status: '405 Method Not Allowed', field: 'method', rule: 'is not supported here' }

function refusalOf({ code = '' }: ParserFault, { requestHeadBytesMax }: RelayLimits): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: '431 Request Header Fields Too Large',
        field: 'headers',
        rule: `must have at most ${requestHeadBytesMax} bytes, address and headers together`,
      }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: '408 Request Timeout', field: 'request', rule: 'arrived too slowly' }
    case 'HPE_INVALID_METHOD':
      return noMethod
    default:
      return { status: '400 Bad Request', field: 'request', rule: 'must be valid HTTP' }
  }
}
