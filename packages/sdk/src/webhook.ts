// Receives updates from the gateway's webhook: checks the signature over the raw bytes, and handles each update once.
import type { Update } from './api-types.ts'
import type { Clock } from './clock.ts'
import type { Verdict } from './composer.ts'

export type WebhookOptions = {
  /** WEBHOOK_SECRET of the gateway. */
  secret: string
  /** How old a request may be. By default five minutes. */
  toleranceSec?: number
}

export type WebhookHandler = (request: Request) => Promise<Response>

type WebhookParts = WebhookOptions & { clock: Clock; judge: (update: Update) => Promise<Verdict> }

const TOLERANCE_SEC = 300
const BODY_BYTES_MAX = 4_000_000
const REMEMBERED_MAX = 1000
const STANDARD_PREFIX = 'whsec_'

export function webhookHandler(parts: WebhookParts): WebhookHandler {
  const { secret, toleranceSec = TOLERANCE_SEC, clock, judge } = parts
  if (secret === '') throw new TypeError('The webhook needs the secret of the gateway, WEBHOOK_SECRET.')
  const key = importKey(secret)
  /** By the id of the update: an update that comes again while it is handled, or after that, is handled once. */
  const known = new Map<number, Promise<Verdict>>()
  return async request => {
    if (request.method !== 'POST') return answer(405, 'Only POST is allowed.')
    const body = await bodyOf(request)
    if (body === undefined) return answer(413, 'The body is too large.')
    const { id, timestamp, signatures } = headersOf(request)
    if (!(await isSigned(await key, { id, timestamp, signatures, body }))) return answer(401, 'The signature is wrong.')
    if (!(Math.abs(clock.nowMs() / 1000 - Number(timestamp)) <= toleranceSec))
      return answer(401, 'The request is too old.')
    const update = JSON.parse(new TextDecoder().decode(body)) as Update
    const verdict = await once(known, update, judge)
    return verdict === 'retry' ? answer(503, 'Try again later.') : answer(200, '')
  }
}

async function once(
  known: Map<number, Promise<Verdict>>,
  update: Update,
  judge: (update: Update) => Promise<Verdict>,
): Promise<Verdict> {
  const begun = known.get(update.id) ?? judge(update)
  known.set(update.id, begun)
  const [oldest] = known.keys()
  if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest)
  try {
    const verdict = await begun
    if (verdict === 'retry') known.delete(update.id)
    return verdict
  } catch (error) {
    known.delete(update.id)
    throw error
  }
}

/** A secret of Standard Webhooks is base64 after its prefix. */
async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(STANDARD_PREFIX)
    ? fromBase64(secret.slice(STANDARD_PREFIX.length))
    : new TextEncoder().encode(secret)
  if (bytes === undefined) throw new TypeError('The secret of the webhook is not base64 after whsec_.')
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

type SignedRequest = { id: string; timestamp: string; signatures: string; body: Uint8Array<ArrayBuffer> }

function headersOf({ headers }: Request): Omit<SignedRequest, 'body'> {
  return {
    id: headers.get('webhook-id') ?? '',
    timestamp: headers.get('webhook-timestamp') ?? '',
    signatures: headers.get('webhook-signature') ?? '',
  }
}

/** `X-Service-Signature` is not enough: it has no time, so a recorded request would be valid for ever. */
async function isSigned(key: CryptoKey, { id, timestamp, signatures, body }: SignedRequest): Promise<boolean> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  let isValid = false
  // All of them, so that the time does not tell which one was right. The comparison itself takes constant time.
  for (const one of signatures.split(' ')) {
    const signature = one.startsWith('v1,') ? fromBase64(one.slice(3)) : undefined
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) isValid = true
  }
  return isValid
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), sign => sign.charCodeAt(0))
  } catch {
    return undefined
  }
}

async function bodyOf(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.length
    if (size > BODY_BYTES_MAX) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(part.value)
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer())
}

const answer = (status: number, text: string): Response => new Response(text, { status })
