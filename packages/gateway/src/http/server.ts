// The HTTP server: token, body, errors and the stop. It knows nothing about the endpoints.
import type { IncomingMessage } from 'node:http'
import type { Log } from '@postern/core'
import { type Clock, CodedError, fromUtf8, gatewayLimits } from '@postern/protocol'
import { requestsInTurn, wakeNextTurn } from '@postern/protocol/node'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { tokenChecker } from './authenticate.ts'
import { boundConnections, trustConnection } from './connections.ts'
import { badField, errorAnswer } from './errors.ts'
import { handleExpectContinue, isWaiting, sendContinue } from './expect-continue.ts'
import type { GracefulClose } from './graceful-close.ts'
import { assertValid, JSON_TYPE, refuseMalformed } from './malformed.ts'
import { Refusals } from './refusals.ts'

const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

const refuseSchema = (): never => {
  throw new Error('What a route takes and answers is said in the table of endpoints, not in a schema of the server.')
}
/** Left to itself, the server would load a compiler of schemas at every start, for routes that have none. */
const noSchemas = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

const headRules = {
  // Left to itself, the server would answer a request without Host by a status and nothing else.
  requireHostHeader: false,
  maxHeaderSize: gatewayLimits.requestHeadBytesMax,
  keepAliveTimeout: gatewayLimits.keepAliveMs,
  // A large upload over a slow line takes its time.
  requestTimeout: 0,
}

export type ServerOptions = {
  botToken: string
  metricsToken?: string
  hooksUrl?: string
  log: Log
  clock: Clock
  stopping: GracefulClose
}

export function createServer({ hooksUrl, log, clock, stopping, ...tokens }: ServerOptions): FastifyInstance {
  const isAuthorized = authorizer(tokens)
  const refusals = new Refusals({ log, clock })
  const malformed = refuseMalformed()
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = errorAnswer(error, request.routeOptions?.config?.statuses)
    if (status >= 500) refusals.note(error, routeOf(request))
    return reply.code(status).headers(headers).type(JSON_TYPE).send(body)
  }
  const checkToken = (request: FastifyRequest) => {
    if (!needsToken(request)) return
    if (!isAuthorized(request)) throw new CodedError('token-wrong')
    trustConnection(request.raw.socket)
  }

  const server = Fastify({
    bodyLimit: gatewayLimits.jsonBodyBytesMax,
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: noSchemas },
    rewriteUrl: hookRewriter(hooksUrl),
    // Who is already connected at the stop is still served.
    return503OnClosing: false,
    serverFactory: handler => createHttpServer(headRules, requestsInTurn(handler)),
    clientErrorHandler: (fault, socket) => malformed.refuse(fault, socket),
    frameworkErrors: (_, request, reply) => void answerError(errorOfBadUrl(request, checkToken), request, reply),
  })
  boundConnections(server.server)
  server.server.on('connection', connection => stopping.watch(connection))
  handleExpectContinue(server.server)
  malformed.watch(server.server)
  acceptOnlyJson(server)
  server.setErrorHandler(answerError)
  // With callbacks: a promise for each of these would cost every request some microseconds.
  server.addHook('onRequest', (request, _, done) => {
    done(
      refusalOf(() => {
        assertValid(request.raw)
        nameMediaType(request.raw)
        checkToken(request)
        // Before its body is asked for, or found to be wrong.
        if (request.is404 || hasEmptyPart(request)) throw routeNotFound(request)
        if (!request.routeOptions.config.readsLater) sendContinue(request.raw)
      }),
    )
  })
  // oxlint-disable-next-line max-params -- the interface is of fastify
  server.addHook('onSend', (request, reply, payload, done) => {
    // Where the body was not asked for, nobody can tell whether what comes next is one.
    if (stopping.isStopping || isWaiting(request.raw)) reply.header('connection', 'close')
    // The page of the reference runs scripts of this origin: no answer may be taken for one.
    reply.header('x-content-type-options', 'nosniff')
    done(null, payload)
  })
  server.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    log.debug({ route: routeOf(request), status: statusCode, ms: Math.round(elapsedTime) }, 'request')
    // An answer that began before the stop did not say that it is the last one here.
    if (stopping.isStopping) wakeNextTurn(() => server.server.closeIdleConnections())
    done()
  })
  return server
}

/** What a check throws, for who is called back with it. */
function refusalOf(check: () => void): Error | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('a check has failed', { cause: error })
  }
}

/** `BOT_TOKEN` everywhere, and `METRICS_TOKEN`, if there is one, where the table of endpoints says so. */
function authorizer({
  botToken,
  metricsToken,
}: Pick<ServerOptions, 'botToken' | 'metricsToken'>): (request: FastifyRequest) => boolean {
  const isOperator = tokenChecker(botToken)
  const isScraper = metricsToken === undefined ? undefined : tokenChecker(metricsToken)
  return ({ headers: { authorization }, routeOptions }) =>
    isOperator(authorization) || (routeOptions?.config?.forScrapers === true && isScraper?.(authorization) === true)
}

/** Unknown paths under /v1 too: without the token nobody learns what there is. */
const needsToken = (request: FastifyRequest): boolean =>
  request.is404 ? /^\/v1(\/|$)/.test(pathOf(request)) : !request.routeOptions.config.open

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? ''

/** A proxy may leave the path of HOOKS_URL where it is, or take it away: posts arrive by both. */
function hookRewriter(hooksUrl = ''): (request: Pick<IncomingMessage, 'url'>) => string {
  const path = hooksUrl && new URL(hooksUrl).pathname.replace(/\/+$/, '')
  return ({ url = '' }) => (url.startsWith(`${path}/hooks/`) ? url.slice(path.length) : url)
}

/** The pattern, not the address: an unknown path may hold anything, a secret too. */
const routeOf = (request: FastifyRequest): string => `${request.method} ${request.routeOptions?.url ?? '(unknown)'}`

/** Without the path: a mistyped one may hold the secret of a hook, and callers write errors into their logs. */
const routeNotFound = ({ method }: FastifyRequest): CodedError => new CodedError('route-not-found', { method })

/** An id that was left out makes no address: nobody is told that there is no chat without a name. */
const hasEmptyPart = ({ params }: FastifyRequest): boolean => Object.values(params as object).includes('')

function errorOfBadUrl(request: FastifyRequest, checkToken: (request: FastifyRequest) => void): unknown {
  try {
    checkToken(request)
    return routeNotFound(request)
  } catch (error) {
    return error
  }
}

const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/

/** What is no media type names none that anybody knows; the server would refuse it even where the type does not matter. */
function nameMediaType({ headers }: IncomingMessage): void {
  const { 'content-type': type } = headers
  if (type === undefined || mediaType.test(type)) return
  if (type.trim() === '') delete headers['content-type']
  else headers['content-type'] = 'application/octet-stream'
}

type Parsed = (error: Error | null, body?: unknown) => void

function acceptOnlyJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  const isNone = ({ routeOptions }: FastifyRequest, body: Buffer) => body.length === 0 || !routeOptions.config.takesBody
  // Tools name a type for bodies that are empty, too.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done: Parsed) => {
    done(isNone(request, body) ? null : badField('Content-Type', 'must be application/json'))
  })
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done: Parsed) => {
      if (isNone(request, body)) return done(null)
      let value: unknown
      try {
        value = JSON.parse(fromUtf8(body))
      } catch {
        return done(badField('body', 'must be valid JSON in UTF-8'))
      }
      done(null, value)
    },
  )
}
