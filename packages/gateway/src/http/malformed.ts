// Converts the errors of the HTTP parser to errors of the API.
import type { IncomingMessage } from 'node:http'
import { CodedError, gatewayLimits } from '@postern/protocol'
import { MalformedHttp, type ParserFault, type RawAnswer } from '@postern/protocol/node'
import { badField, errorAnswer } from './errors.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export const refuseMalformed = (): MalformedHttp =>
  new MalformedHttp({
    refusalOf: (fault, where) => answerOf(errorOf(fault, where)),
    connectRefusal: () => answerOf(methodUnknown('CONNECT')),
    lingerMs: gatewayLimits.refusedLingerMs,
  })

function answerOf(error: CodedError): RawAnswer {
  const { status, body } = errorAnswer(error)
  return { status: `${status} ${status === 404 ? 'Not Found' : 'Bad Request'}`, type: JSON_TYPE, body }
}

/** HTTP/1 and a Host header, checked before the address. */
export function assertValid({ httpVersion, httpVersionMajor, headers }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw badField('request', NO_HTTP)
  if (httpVersion === '1.1' && headers.host === undefined) throw badField('Host', 'is required')
}

const NO_HTTP = 'must be valid HTTP'

const methodUnknown = (method: string): CodedError => new CodedError('method-not-found', { method })

function errorOf(fault: ParserFault, where: 'request' | 'body'): CodedError {
  const { code = '', reason = '' } = fault
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return badField(
        'headers',
        `must have at most ${gatewayLimits.requestHeadBytesMax} bytes, address and headers together`,
      )
    case 'HPE_INVALID_METHOD':
      return methodFault(fault)
    case 'HPE_UNEXPECTED_CONTENT_LENGTH':
      return badField('Content-Length', 'must not be repeated')
    case 'HPE_INVALID_CONTENT_LENGTH':
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return lengthFault(code, reason)
    case 'HPE_INVALID_EOF_STATE':
      return badField(where, 'ended too early')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return badField(where, 'arrived too slowly')
    default:
      return where === 'body' ? badField('body', 'must have valid chunks') : badField('request', NO_HTTP)
  }
}

function lengthFault(code: 'HPE_INVALID_CONTENT_LENGTH' | 'HPE_INVALID_TRANSFER_ENCODING', reason: string): CodedError {
  if (reason.includes("can't be present with"))
    return badField('Content-Length', 'must not be sent together with Transfer-Encoding')
  return code === 'HPE_INVALID_CONTENT_LENGTH'
    ? badField('Content-Length', 'must be a whole number')
    : badField('Transfer-Encoding', 'must be chunked')
}

/** A request line with an unknown method gets its own error; anything else is not HTTP. */
function methodFault({ rawPacket, bytesParsed = 0 }: ParserFault): CodedError {
  const start = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, gatewayLimits.requestHeadBytesMax) : ''
  const method = /^([A-Za-z-]{1,32}) \S+ HTTP\/1\.[01]\r\n/.exec(start)?.[1]
  const isHere = method !== undefined && bytesParsed <= method.length
  return isHere ? methodUnknown(method) : badField('request', NO_HTTP)
}
