// The relay's HTTP server: health, blobs, profiles, and for a browser the web app or a sentence about the relay.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CodedError, inBackground, logFault, relayFixedLimits, systemFault } from '@postern/protocol'
import { requestsInTurn } from '@postern/protocol/node'
import { REGISTRATION_HEADER } from '@postern/protocol/relay'
import { BlobUploads } from '../blobs/upload-blob.ts'
import type { ConnectionRegistry } from '../connections/connection-registry.ts'
import type { SocketServer } from '../connections/socket-server.ts'
import type { RelayContext } from '../context.ts'
import { answerError, answerJson, closeToBrowsers, notFound } from './answer.ts'
import type { AppFiles } from './app-files.ts'
import { BlobRoutes, isBlobPath } from './blob-routes.ts'
import { assertHost, refuseMalformed } from './malformed.ts'
import { answerProfile, isProfilePath } from './profile-route.ts'
import { pathOf, serveApp } from './serve-app.ts'

// An import would load undici for its re-exported names: 13 MiB that nothing here uses.
const { createServer } = process.getBuiltinModule('node:http')

const PAGE = 'This is a Postern relay. It carries end-to-end encrypted messages and can read none of them.\n'

type Doors = { sockets: SocketServer; visitors: ConnectionRegistry; app: AppFiles }
type Routes = { parts: RelayContext; blobs: BlobRoutes; app: AppFiles; visitors: ConnectionRegistry }

export function createHttpServer(
  parts: RelayContext,
  { sockets, visitors, app }: Doors,
): { server: Server; uploads: BlobUploads } {
  const { limits } = parts
  const uploads = new BlobUploads(parts)
  const routes = { parts, blobs: new BlobRoutes(parts, uploads), app, visitors }
  const answerOne = (request: IncomingMessage, response: ServerResponse): void => {
    closeToBrowsers(response)
    if (!visitors.request(request, done => response.once('close', done))) return turnAway(response)
    const answered = answer(request, response, routes).catch((error: unknown) => {
      // The peer has disconnected: there is nobody to answer, and nothing is wrong here.
      if (request.destroyed && !request.complete) return void response.destroy()
      parts.figures.refused('request', systemFault(error))
      if (answerError(response, error)) logRefusal(parts, error)
    })
    inBackground(answered, { what: 'request not answered', log: parts.log })
  }
  const server = createServer(headRules(limits), requestsInTurn(answerOne))
  const malformed = refuseMalformed(limits)
  malformed.watch(server)
  server.on('clientError', (fault, stream) => malformed.refuse(fault, stream as Socket))
  server.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head))
  server.on('connection', socket => visitors.enter(socket))
  allowConnections(server, limits)
  // A large upload over a slow line takes long; only silence is a reason to end it.
  server.requestTimeout = 0
  server.timeout = limits.httpIdleMs
  return { server, uploads }
}

/** Sums the limits of all kinds of connections. */
export function allowConnections(server: Server, limits: RelayContext['limits']): void {
  server.maxConnections = limits.connectionsMax + limits.unauthenticatedMax + limits.httpConnectionsMax
}

/** Rate-limited: on a full or dead disk every request fails. */
function logRefusal({ rates, limits, log }: RelayContext, error: unknown): void {
  if (rates.allows('log a request that failed', limits.faultsLoggedPerMinute))
    logFault(error, { what: 'request failed', log })
}

const headRules = ({ requestHeadBytesMax }: RelayContext['limits']) => ({
  maxHeaderSize: requestHeadBytesMax,
  // `assertHost` checks for it, and answers with an error sentence.
  requireHostHeader: false,
})

function turnAway(response: ServerResponse): void {
  response.setHeader('Connection', 'close')
  response.setHeader('Retry-After', relayFixedLimits.busyRetryAfterSec)
  answerJson(response, 503, { error: 'There are too many connections. Try again in a moment.', code: 'rate-limited' })
}

async function answer(request: IncomingMessage, response: ServerResponse, routes: Routes): Promise<void> {
  assertHost(request)
  const path = pathOf(request)
  if (isBlobPath(path)) return routes.blobs.answer(request, response, path)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (path === '/healthz' && isRead) return answerHealth(response, routes.parts)
  if (path === '/readyz' && isRead) return answerReady(response, routes.parts, relayFixedLimits.unreadyAfterMs)
  if (path === '/readyz/now' && isRead) return answerReady(response, routes.parts, 0)
  if (isRead && isProfilePath(path))
    return answerProfile(routes.parts, { path, address: routes.visitors.addressOf(request) }, { request, response })
  if (isRead && serveApp({ files: routes.app, hosts: routes.parts.audience.hosts }, request, response)) return
  if (path === '/' && isRead) return answerPage(response)
  notFound(response)
}

/** A newcomer learns here whether it needs an invite: trying to register would leave an account. */
function answerHealth(response: ServerResponse, { admission }: RelayContext): void {
  response.setHeader(REGISTRATION_HEADER, admission.registration)
  answerJson(response, 200, {})
}

/** A browser shows the page instead of saving it. */
function answerPage(response: ServerResponse): void {
  response.removeHeader('Content-Disposition')
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end(PAGE)
}

/**
 * For a load balancer. `/readyz` decides whether this relay's clients move to another relay, so it fails only after a
 * while. `/readyz/now` shows the balancer whether such another relay is ready now.
 */
function answerReady(response: ServerResponse, { store, clock }: RelayContext, afterMs: number): void {
  const sinceMs = store.awaySinceMs()
  if (sinceMs !== undefined && clock.monotonicMs() - sinceMs >= afterMs) throw new CodedError('unavailable')
  answerJson(response, 200, {})
}
