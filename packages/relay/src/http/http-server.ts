// The relay's HTTP side: health, blobs, profiles, and to whoever opens the address in a browser the web app, or a word.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CodedError, inBackground, logFault, relayFixedLimits, systemFault } from '@postern/protocol'
import { BlobUploads } from '../blobs/upload-blob.ts'
import type { RelayParts } from '../connections/relay-parts.ts'
import type { SocketServer } from '../connections/socket-server.ts'
import type { Visitors } from '../connections/visitors.ts'
import { answerError, answerJson, notFound } from './answer.ts'
import type { AppFiles } from './app-files.ts'
import { BlobRoutes, isBlobPath } from './blob-routes.ts'
import { assertHost, refuseMalformed } from './malformed.ts'
import { answerProfile, isProfilePath } from './profile-route.ts'
import { pathOf, serveApp } from './serve-app.ts'

// Imported, it would bring undici along for the names it passes on: 13 MiB that nobody here uses.
const { createServer } = process.getBuiltinModule('node:http')

const PAGE = 'This is a Postern relay. It carries end-to-end encrypted messages and can read none of them.\n'

type Doors = { sockets: SocketServer; visitors: Visitors; app: AppFiles }
type Routes = { parts: RelayParts; blobs: BlobRoutes; app: AppFiles; visitors: Visitors }

export function createHttpServer(
  parts: RelayParts,
  { sockets, visitors, app }: Doors,
): { server: Server; uploads: BlobUploads } {
  const { limits } = parts
  const uploads = new BlobUploads(parts)
  const routes = { parts, blobs: new BlobRoutes(parts, uploads), app, visitors }
  const server = createServer(headRules(limits), (request, response) => {
    if (!visitors.request(request, done => response.once('close', done))) return turnAway(response)
    const answered = answer(request, response, routes).catch((error: unknown) => {
      // The peer has gone: there is nobody to answer, and nothing is wrong here.
      if (request.destroyed && !request.complete) return void response.destroy()
      parts.figures.refused('request', systemFault(error))
      if (answerError(response, error)) logRefusal(parts, error)
    })
    inBackground(answered, { what: 'a request could not be answered', log: parts.log })
  })
  const malformed = refuseMalformed(limits)
  malformed.watch(server)
  server.on('clientError', (fault, stream) => malformed.refuse(fault, stream as Socket))
  server.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head))
  server.on('connection', socket => visitors.enter(socket))
  allowConnections(server, limits)
  // A large upload over a slow line takes its time; only silence is a reason to end it.
  server.requestTimeout = 0
  server.timeout = limits.httpIdleMs
  return { server, uploads }
}

/** All that have a place of some kind. */
export function allowConnections(server: Server, limits: RelayParts['limits']): void {
  server.maxConnections = limits.connectionsMax + limits.unauthenticatedMax + limits.httpConnectionsMax
}

/** Only so many a minute: on a disk that is full or dead every request fails. */
function logRefusal({ rates, limits, log }: RelayParts, error: unknown): void {
  if (rates.allows('log a request that failed', limits.faultsLoggedPerMinute))
    logFault(error, { what: 'a request failed', log })
}

const headRules = ({ requestHeadBytesMax }: RelayParts['limits']) => ({
  maxHeaderSize: requestHeadBytesMax,
  // `assertHost` asks for it, and answers in words.
  requireHostHeader: false,
})

function turnAway(response: ServerResponse): void {
  response.setHeader('Connection', 'close')
  response.setHeader('Retry-After', relayFixedLimits.busyRetryAfterSec)
  answerJson(response, 503, { error: 'There are too many connections; come again in a moment.', code: 'rate-limited' })
}

async function answer(request: IncomingMessage, response: ServerResponse, routes: Routes): Promise<void> {
  assertHost(request)
  const path = pathOf(request)
  if (isBlobPath(path)) return routes.blobs.answer(request, response, path)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (path === '/healthz' && isRead) return answerJson(response, 200, {})
  if (path === '/readyz' && isRead) return answerReady(response, routes.parts)
  if (isRead && isProfilePath(path))
    return answerProfile(routes.parts, { path, address: routes.visitors.addressOf(request) }, { request, response })
  if (isRead && serveApp(routes.app, request, response)) return
  if (path === '/' && isRead) return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end(PAGE)
  notFound(response)
}

/** For a balancer: whoever comes here is served no worse than elsewhere. A failover is over before anybody is sent away. */
function answerReady(response: ServerResponse, { store, clock }: RelayParts): void {
  const sinceMs = store.awaySinceMs()
  if (sinceMs !== undefined && clock.monotonicMs() - sinceMs >= relayFixedLimits.unreadyAfterMs)
    throw new CodedError('unavailable')
  answerJson(response, 200, {})
}
