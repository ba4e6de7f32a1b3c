// Requests that are barely HTTP: bad request lines, heads, lengths and chunks, several requests in one piece, and
// halves of them.
import type { SeededRandom } from '@postern/testkit'
import { type FuzzRequest, fuzzRequest } from './bend-request.ts'
import type { Known } from './known.ts'

/** `answers`: the minimum number of answers; 0 if nobody can be answered. */
export type RawRequest = { bytes: Buffer; answers: number; isAbandoned: boolean }

const HEAD = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'
const POST = 'POST /v1/groups HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

const malformed: readonly string[] = [
  'GET',
  'GET /healthz',
  'GET /healthz\r\n\r\n',
  'GET /healthz HTTP/9.9\r\n\r\n',
  'GET /healthz HTTP/1.0\r\n\r\n',
  'get /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  ' GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET  /healthz  HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /healthz\0 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://other.example/v1/me HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT other.example:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'HELO mail\r\n\r\n',
  '\r\n\r\n\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'GET /healthz HTTP/1.1\r\n\r\n',
  `${HEAD}Host: y\r\n\r\n`,
  `${HEAD}no colon\r\n\r\n`,
  `${HEAD}: no name\r\n\r\n`,
  `${HEAD}Space : before\r\n\r\n`,
  `${HEAD}Folded: a\r\n b\r\n\r\n`,
  `${HEAD}Nul: a\0b\r\n\r\n`,
  `${HEAD}Large: ${'x'.repeat(100_000)}\r\n\r\n`,
  `${HEAD}${'Many: x\r\n'.repeat(3000)}\r\n`,
  `${HEAD}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`,
  `${HEAD}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x\r\n\r\n`,
  `${POST}Content-Length: -1\r\n\r\n{}`,
  `${POST}Content-Length: x\r\n\r\n{}`,
  `${POST}Content-Length: 99999999999999999999\r\n\r\n{}`,
  `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${POST}Content-Length: 100\r\n\r\n{}`,
  `${POST}Content-Length: 1\r\n\r\n{}`,
  `${POST}Transfer-Encoding: gzip\r\n\r\n{}`,
  `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n{}`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n2;a=b;${'c'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}`,
  `${POST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
]

const PIPELINED_MAX = 5

export function rawRequest(known: Known, random: SeededRandom): RawRequest {
  const kind = random.below(6)
  if (kind < 3) return spoiled(random)
  const request = fuzzRequest(known, random)
  if (kind === 3) return half(request, random)
  if (kind === 4) return chunked(random)
  return pipelined(known, random)
}

function spoiled(random: SeededRandom): RawRequest {
  const bytes = Buffer.from(random.of(malformed), 'latin1')
  if (random.below(3) === 0) bytes[random.below(bytes.length)] = random.below(256)
  return { bytes, answers: 1, isAbandoned: false }
}

const half = ({ bytes }: FuzzRequest, random: SeededRandom): RawRequest => ({
  bytes: bytes.subarray(0, random.below(bytes.length)),
  answers: 0,
  isAbandoned: random.below(2) === 0,
})

/** A body in the smallest possible pieces. */
function chunked(random: SeededRandom): RawRequest {
  const body = JSON.stringify({ text: 'x'.repeat(random.below(200)) })
  const pieces = [...body].map(sign => `1\r\n${sign}\r\n`).join('')
  return {
    bytes: Buffer.from(`${POST}Transfer-Encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`),
    answers: 1,
    isAbandoned: false,
  }
}

/** Answers come in the order of the requests, unless one of them ends the connection. */
function pipelined(known: Known, random: SeededRandom): RawRequest {
  const count = 2 + random.below(PIPELINED_MAX - 1)
  const requests = Array.from({ length: count }, () => fuzzRequest(known, random)).filter(({ isHead }) => !isHead)
  return { bytes: Buffer.concat(requests.map(({ bytes }) => bytes)), answers: requests.length, isAbandoned: false }
}
