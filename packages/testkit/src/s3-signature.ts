// Checks that a request to the object store has a version 4 signature: by the right key, at the right time, and over all of it.
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export type S3Account = { accessKeyId: string; secretAccessKey: string; region: string; sessionToken?: string }

const SKEW_MS = 15 * 60_000
const MUST_BE_SIGNED = ['host', 'x-amz-content-sha256', 'x-amz-date']
const SCHEME =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

/** The name of the fault, as the real store calls it. */
export function signatureFault(
  request: IncomingMessage,
  body: Uint8Array,
  { account, nowMs }: { account: S3Account; nowMs: number },
): string | undefined {
  const [, id, day = '', region = '', signed = '', signature] = SCHEME.exec(request.headers.authorization ?? '') ?? []
  if (signature === undefined) return 'AccessDenied'
  if (id !== account.accessKeyId) return 'InvalidAccessKeyId'
  if (region !== account.region) return 'AuthorizationHeaderMalformed'
  const stamp = headerOf(request, 'x-amz-date')
  if (Math.abs(timeOf(stamp) - nowMs) > SKEW_MS || !stamp.startsWith(day)) return 'RequestTimeTooSkewed'
  const names = signed.split(';')
  const amazons = Object.keys(request.headers).filter(name => name.startsWith('x-amz-'))
  if ([...MUST_BE_SIGNED, ...amazons].some(name => !names.includes(name))) return 'AccessDenied'
  if ((account.sessionToken ?? '') !== headerOf(request, 'x-amz-security-token')) return 'InvalidToken'
  if (headerOf(request, 'x-amz-content-sha256') !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const text = ['AWS4-HMAC-SHA256', stamp, `${day}/${region}/s3/aws4_request`, sha256(canonicalOf(request, names))]
  const expected = macOf([`AWS4${account.secretAccessKey}`, day, region, 's3', 'aws4_request', text.join('\n')])
  return expected.toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

function canonicalOf(request: IncomingMessage, names: readonly string[]): string {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const pairs = query === '' ? [] : query.split('&').map(pair => (pair.includes('=') ? pair : `${pair}=`))
  const headers = names.map(name => `${name}:${headerOf(request, name).trim()}`)
  const hash = headerOf(request, 'x-amz-content-sha256')
  return [request.method, path, pairs.toSorted().join('&'), ...headers, '', names.join(';'), hash].join('\n')
}

const headerOf = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? '')

/** `20300101T000000Z`. */
function timeOf(stamp: string): number {
  const [, year, month, day, hours, minutes, seconds] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp) ?? []
  return Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`) || 0
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Each is signed with the result of the previous ones. */
const macOf = ([first = '', ...rest]: readonly string[]): Buffer =>
  rest.reduce<Buffer>((key, text) => createHmac('sha256', key).update(text).digest(), Buffer.from(first))
