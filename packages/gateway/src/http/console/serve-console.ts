// The routes of the console: files without data, and the invite as a QR code for a caller with a token.
import { isIP } from 'node:net'
import { CodedError } from '@postern/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { renderSVG } from 'uqr'
import { fileOf } from '../reference/files.ts'
import { sendFile } from '../reference/serve-reference.ts'
import { CONSOLE_STYLE, consolePage } from './page.ts'
import { CONSOLE_SCRIPT } from './script.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** `hasReference`: the page links to it. */
export type ConsoleServing = { hosts: readonly string[]; hasReference: boolean; inviteUrl: () => string }

export function serveConsole(server: FastifyInstance, { hosts, hasReference, inviteUrl }: ConsoleServing): void {
  const files = [
    ['/console', fileOf('text/html; charset=utf-8', consolePage({ hasReference }))],
    ['/console/page.css', fileOf('text/css; charset=utf-8', CONSOLE_STYLE)],
    ['/console/page.js', fileOf('text/javascript; charset=utf-8', CONSOLE_SCRIPT)],
  ] as const
  const preHandler = (request: FastifyRequest, _: unknown, done: (error?: Error) => void) =>
    done(isOwnHost(request, hosts) ? undefined : new CodedError('host-unknown'))
  for (const [url, file] of files)
    server.route({
      method: ['GET', 'HEAD'],
      url,
      config: { open: true },
      preHandler,
      handler: (request, reply) => sendFile(reply, request, { file, policy }),
    })
  server.route({
    method: ['GET', 'HEAD'],
    url: '/console/invite.svg',
    config: { scopes: ['read'] },
    preHandler,
    handler: (_, reply) =>
      void reply
        .type('image/svg+xml')
        .headers({ 'cache-control': 'no-store', 'content-security-policy': "sandbox; default-src 'none'" })
        .send(renderSVG(inviteUrl(), { border: 2, ecc: 'M' })),
  })
}

/**
 * A site can point its own name at this address, and its scripts would then share an origin with the console. A plain
 * address and a name of this machine cannot be pointed elsewhere.
 */
function isOwnHost({ headers }: FastifyRequest, hosts: readonly string[]): boolean {
  const url = URL.parse(`http://${headers.host ?? ''}`)
  if (!url || url.host === '') return false
  const name = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || hosts.includes(name)
}
