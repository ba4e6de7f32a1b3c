// Amazon's signature version 4: proves who sent a request to an object store, and that it was not modified.
import { createHash, createHmac } from 'node:crypto'
import type { S3Credentials } from '../blob-place.ts'

export type SignedParts = {
  method: string
  /** As in the URL. */
  path: string
  query: Readonly<Record<string, string>>
  /** Names in lower case, `host` among them. */
  headers: Readonly<Record<string, string>>
  body: readonly Uint8Array[]
}

type Signer = { credentials: S3Credentials; region: string; nowMs: number }

const SERVICE = 's3'
const ALGORITHM = 'AWS4-HMAC-SHA256'

/** Returns the headers to send, including the given ones. */
export function signRequest(parts: SignedParts, { credentials, region, nowMs }: Signer): Record<string, string> {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const day = stamp.slice(0, 8)
  const bodyHash = hashOf(...parts.body)
  const headers: Record<string, string> = {
    ...parts.headers,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': stamp,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  }
  const names = Object.keys(headers).sort()
  const canonical = [
    parts.method,
    parts.path,
    queryText(parts.query),
    ...names.map(name => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n')
  const scope = `${day}/${region}/${SERVICE}/aws4_request`
  const asked = [ALGORITHM, stamp, scope, hashOf(canonical)].join('\n')
  const key = ['aws4_request', SERVICE, region, day].reduceRight<string | Uint8Array>(
    mac,
    `AWS4${credentials.secretAccessKey}`,
  )
  const signature = createHmac('sha256', key).update(asked).digest('hex')
  const credential = `Credential=${credentials.accessKeyId}/${scope}`
  return {
    ...headers,
    authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

/** In the order and encoding that is signed. */
export const queryText = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')

const mac = (key: string | Uint8Array, text: string): Uint8Array => createHmac('sha256', key).update(text).digest()

function hashOf(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** Also encodes the characters that `encodeURIComponent` leaves unchanged. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
