// How senders prove a secret: by a signature of the body, or by the secret itself in a header. Compared in constant time.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { digest } from './digest.ts'
import type { PostBody } from './post-body.ts'

export type SenderProof = { header: string; isValid(body: PostBody, secret: string): boolean }

/** HMAC-SHA256 of the body as it came, in hexadecimal digits after a prefix. */
export const signatureIn = (header: string, { prefix }: { prefix: string }): SenderProof => ({
  header,
  isValid: ({ headers = {}, bytes = Buffer.alloc(0) }, secret) => {
    const given = headers[header.toLowerCase()]
    if (!given?.startsWith(prefix)) return false
    const made = createHmac('sha256', secret).update(bytes).digest('hex')
    return isSame(given.slice(prefix.length).toLowerCase(), made)
  },
})

export const tokenIn = (header: string): SenderProof => ({
  header,
  isValid: ({ headers = {} }, secret) => isSame(headers[header.toLowerCase()] ?? '', secret),
})

/** Digests have one length, so that nothing is learned from the time that this takes. */
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)))
