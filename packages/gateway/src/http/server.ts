// The HTTP server: token, body, errors and the stop. It knows nothing about the endpoints.
import type { IncomingMessage } from 'node:http'
import type { TokenScope } from '@postern/bot-api'
import type { Log } from '@postern/core'
import { type Clock, CodedError, fromUtf8, gatewayLimits, isCoded } from '@postern/protocol'
import { requestsInTurn, wakeNextTurn } from '@postern/protocol/node'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Access, assertScopes, fullAccess } from '../access.ts'
import type { LateRefusals } from '../late-refusals.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { bearerOf, secretChecker } from './authenticate.ts'
import { boundConnections, trustConnection } from './connections.ts'
import { badField, errorAnswer } from './errors.ts'
import { handleExpectContinue, isWaiting, sendContinue } from './expect-continue.ts'
import type { GracefulClose } from './graceful-close.ts'
import { assertValid, JSON_TYPE, refuseMalformed } from './malformed.ts'
import { Refusals } from './refusals.ts'
import { goneSignal } from './request-caller.ts'

const { createServer: createHttpServer } = process.getBuiltinModule('node:http')

const refuseSchema = (): never => {
  throw new Error('What a route takes and answers is said in the table of endpoints, not in a schema of the server.')
}
/** By default, the server would load a schema compiler at every start, for routes that have no schema. */
const noSchemas = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

const headRules = {
  // By default, the server would answer a request without Host by a bare status.
  requireHostHeader: false,
  maxHeaderSize: gatewayLimits.requestHeadBytesMax,
  keepAliveTimeout: gatewayLimits.keepAliveMs,
  // A large upload over a slow line takes its time.
  requestTimeout: 0,
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no token. */
    open?: boolean
    /** The scopes that a token needs. */
    scopes?: readonly TokenScope[]
    /** Also accepts `METRICS_TOKEN`. */
    forScrapers?: boolean
  }
  interface FastifyRequest {
    /** The rights of its token; null at an endpoint that needs none. */
    access: Access | null
  }
}

export type ServerOptions = {
  botToken: string
  metricsToken?: string
  /** The scoped ones. If absent: there are none. */
  tokens?: Pick<Tokens, 'use' | 'watch'>
  hooksUrl?: string
  /** Absent: a wrong token is answered immediately. */
  wrongTokens?: LateRefusals | undefined
  log: Log
  clock: Clock
  stopping: GracefulClose
}

export function createServer({ hooksUrl, log, clock, stopping, ...secrets }: ServerOptions): FastifyInstance {
  const accessOf = authorizer(secrets)
  const refusals = new Refusals({ log, clock })
  const malformed = refuseMalformed()
  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, headers, body } = errorAnswer(error, request.routeOptions?.config?.statuses)
    if (status >= 500) refusals.note(error, routeOf(request))
    return reply.code(status).headers(headers).type(JSON_TYPE).send(body)
  }
  const checkToken = (request: FastifyRequest) => {
    if (!needsToken(request)) return
    const access = accessOf(request)
    if (!access) throw new CodedError('token-wrong')
    request.access = access
    trustConnection(request.raw.socket)
    assertScopes(access, request.routeOptions?.config?.scopes ?? [])
  }

  const refuse = refuser(secrets.wrongTokens)
  const server = Fastify({
    bodyLimit: gatewayLimits.jsonBodyBytesMax,
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: noSchemas },
    rewriteUrl: hookRewriter(hooksUrl),
    // Callers that are already connected at the stop are still served.
    return503OnClosing: false,
    serverFactory: handler => createHttpServer(headRules, requestsInTurn(handler)),
    clientErrorHandler: (fault, socket) => malformed.refuse(fault, socket),
    frameworkErrors: (_, request, reply) =>
      void refuse(request, reply, errorOfBadUrl(request, checkToken)).catch((error: unknown) =>
        answerError(error, request, reply),
      ),
  })
  server.decorateRequest('access', null)
  boundConnections(server.server)
  server.server.on('connection', connection => stopping.watch(connection))
  handleExpectContinue(server.server)
  malformed.watch(server.server)
  acceptOnlyJson(server)
  server.setErrorHandler(answerError)
  // With callbacks: a promise for each of these would cost every request some microseconds.
  server.addHook('onRequest', (request, reply, proceed) => {
    const refusal = refusalOf(() => {
      assertValid(request.raw)
      nameMediaType(request.raw)
      checkToken(request)
      if (request.access) secrets.tokens?.watch(request.access, reply.raw)
      // Before its body is requested or parsed.
      if (request.is404 || hasEmptyPart(request)) throw routeNotFound(request)
      if (!request.routeOptions.config.readsLater) sendContinue(request.raw)
    })
    if (refusal) refuse(request, reply, refusal).catch(proceed)
    else proceed()
  })
  // oxlint-disable-next-line max-params -- the interface is of fastify
  server.addHook('onSend', (request, reply, payload, done) => {
    // If the body was not requested, it is unknown whether the next bytes are one.
    if (stopping.isStopping || isWaiting(request.raw)) reply.header('connection', 'close')
    // The reference page runs scripts of this origin: no answer may be interpreted as one.
    reply.header('x-content-type-options', 'nosniff')
    done(null, payload)
  })
  server.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    log.debug({ route: routeOf(request), status: statusCode, ms: Math.round(elapsedTime) }, 'request')
    // An answer that began before the stop did not announce that it is the last one.
    if (stopping.isStopping) wakeNextTurn(() => server.server.closeIdleConnections())
    done()
  })
  return server
}

/** Rejects with the refusal: a wrong token late. */
const refuser =
  (wrongTokens: LateRefusals | undefined) =>
  async (request: FastifyRequest, reply: FastifyReply, refusal: unknown): Promise<void> => {
    if (wrongTokens && isGuess(request, refusal)) await wrongTokens.refuse(refusal, goneSignal(reply.raw))
    throw refusal
  }

/** A request without a token guesses nothing. */
const isGuess = ({ headers }: FastifyRequest, refusal: unknown): refusal is CodedError =>
  isCoded(refusal, 'token-wrong') && bearerOf(headers.authorization) !== undefined

/** The error that a check throws, for a callback. */
function refusalOf(check: () => void): Error | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('a check has failed', { cause: error })
  }
}

/** `BOT_TOKEN` everywhere, `METRICS_TOKEN` where the table of endpoints allows it, and the scoped tokens. */
function authorizer({
  botToken,
  metricsToken,
  tokens,
}: Pick<ServerOptions, 'botToken' | 'metricsToken' | 'tokens'>): (request: FastifyRequest) => Access | undefined {
  const isOperator = secretChecker(botToken)
  const isScraper = metricsToken === undefined ? undefined : secretChecker(metricsToken)
  return ({ headers: { authorization }, routeOptions }) => {
    const given = bearerOf(authorization)
    if (given === undefined) return undefined
    if (isOperator(given)) return fullAccess
    if (routeOptions?.config?.forScrapers === true && isScraper?.(given) === true) return fullAccess
    return tokens?.use(given)
  }
}

/** Unknown paths under /v1 too: without the token nobody learns which paths exist. */
const needsToken = (request: FastifyRequest): boolean =>
  request.is404 ? /^\/v1(\/|$)/.test(pathOf(request)) : !request.routeOptions.config.open

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? ''

/** A proxy may keep the path of HOOKS_URL or strip it: posts arrive either way. */
function hookRewriter(hooksUrl = ''): (request: Pick<IncomingMessage, 'url'>) => string {
  const path = hooksUrl && new URL(hooksUrl).pathname.replace(/\/+$/, '')
  return ({ url = '' }) => (url.startsWith(`${path}/hooks/`) ? url.slice(path.length) : url)
}

/** The pattern, not the address: an unknown path may contain anything, even a secret. */
const routeOf = (request: FastifyRequest): string => `${request.method} ${request.routeOptions?.url ?? '(unknown)'}`

/** Without the path: a mistyped one may contain the secret of a hook, and callers log errors. */
const routeNotFound = ({ method }: FastifyRequest): CodedError => new CodedError('route-not-found', { method })

/** A missing id makes no valid address: the error must not speak of a chat without a name. */
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

/** An invalid media type counts as an unknown one; the server would reject it even where the type does not matter. */
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
  // Tools send a type for empty bodies, too.
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
