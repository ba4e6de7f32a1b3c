// The routes of the reference page. They need no token and contain no secret: the token that a person types stays in that tab.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { evaluatePreconditions } from '../preconditions.ts'
import type { ReferenceFile } from './files.ts'

/**
 * Nothing from elsewhere, no inline script and no eval. RapiDoc writes its styles into the page: only inline styles are
 * allowed.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  'media-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const closed = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

export function serveReference(server: FastifyInstance, files: ReadonlyMap<string, ReferenceFile>): void {
  for (const [url, file] of files)
    server.route({
      method: ['GET', 'HEAD'],
      url,
      config: { open: true },
      handler: (request, reply) => sendFile(reply, request, { file, policy }),
    })
}

type PageFile = { file: ReferenceFile; policy: string }

/** A file of a page that loads nothing from elsewhere. */
export function sendFile(reply: FastifyReply, { headers }: FastifyRequest, { file, policy: csp }: PageFile): void {
  const { type, etag, packed, plain } = file
  reply.headers({ ...closed, 'content-security-policy': csp, etag })
  if (evaluatePreconditions(etag, { 'if-none-match': headers['if-none-match'] }) === 'known') {
    reply.code(304).send()
    return
  }
  const isPacked = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers['accept-encoding']))
  reply
    .type(type)
    .headers(isPacked ? { 'content-encoding': 'gzip' } : {})
    .send(isPacked ? packed : plain)
}
