// Routes from the table of endpoints: each checks its input, calls its handler and answers.
import { checkFields, type Endpoint, type EndpointName, endpoints } from '@postern/bot-api'
import type { Clock } from '@postern/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { noAccess } from '../access.ts'
import type { HttpCaller } from '../caller.ts'
import { AnswerOutcomes } from './answer-outcomes.ts'
import { NegotiatedAnswer, PlainAnswer, SerializedAnswer } from './answers.ts'
import type { Statuses } from './errors.ts'
import type { GracefulClose } from './graceful-close.ts'
import type { Handlers } from './handler.ts'
import { incomingBody } from './incoming-body.ts'
import { limitedInput } from './limit-input.ts'
import { JSON_TYPE } from './malformed.ts'
import { RequestCaller } from './request-caller.ts'
import { sendStream } from './send-stream.ts'
import { acceptUploads } from './uploads.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is JSON; a body that is sent to other endpoints is discarded. */
    takesBody?: boolean
    /** The handler reads its body. */
    readsLater?: boolean
    statuses?: Statuses
  }
}

type AnyInput = Record<'params' | 'query' | 'headers' | 'body' | 'upload' | 'form', unknown> & { isHead: boolean }
type AnyHandler = (input: AnyInput, caller: HttpCaller) => unknown

export type ServeContext = {
  stopping: GracefulClose
  clock: Clock
  /** Throws when an endpoint cannot be used at all, whatever the fields of the request. */
  refusals?: Partial<Record<EndpointName, (query: object) => void>>
}

export function addRoutes(server: FastifyInstance, handlers: Handlers, serving: ServeContext): void {
  const fates = new AnswerOutcomes()
  // When it arrives, not when its turn comes: a request that was sent before an answer does not prove that the answer
  // was received.
  server.server.prependListener('request', ({ socket }) => fates.arrived(socket))
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const endpoint: Endpoint = endpoints[name]
    const handler = handlers[name] as AnyHandler | undefined
    // Switched off by the settings: the path does not exist.
    if (!handler) continue
    const route = routeOf(endpoint, handler, { ...serving, fates, refuse: serving.refusals?.[name] })
    if (endpoint.upload ?? endpoint.form) acceptUploads(server, route)
    else server.route(route)
  }
}

type Route = Omit<ServeContext, 'refusals'> & { fates: AnswerOutcomes; refuse: ((query: object) => void) | undefined }

function routeOf(endpoint: Endpoint, handler: AnyHandler, { stopping, clock, fates, refuse }: Route): RouteOptions {
  return {
    method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      open: endpoint.open === true,
      ...(endpoint.scopes && { scopes: endpoint.scopes }),
      forScrapers: endpoint.forScrapers === true,
      takesBody: endpoint.body !== undefined,
      readsLater: Boolean(endpoint.upload ?? endpoint.form),
      ...(endpoint.statuses && { statuses: endpoint.statuses }),
    },
    handler: (request, reply) => {
      const access = request.access ?? noAccess
      refuse?.(request.query as object)
      const incoming = incomingBody(request, { endpoint, clock })
      const caller = new RequestCaller(reply.raw, { fates, access })
      const handle = () =>
        handler(
          { ...limitedInput(endpoint, inputOf(endpoint, request), access), ...(incoming?.parts ?? noParts) },
          caller,
        )
      const send = (answer: unknown) => sendAnswer(reply, answer, { endpoint, clock, stopping })
      if (incoming) return stopping.orStopping(asPromise(handle)).finally(incoming.leave).then(send)
      const answer = handle()
      if (answer instanceof Promise) return stopping.orStopping(answer).then(send)
      // A synchronous answer needs no promise, and no stop can overtake it.
      return answer instanceof NegotiatedAnswer ? send(answer) : sendText(reply, answer, endpoint)
    },
  }
}

const noParts = { upload: undefined, form: undefined }

const asPromise = async (handle: () => unknown): Promise<unknown> => handle()

type Answering = { endpoint: Endpoint; clock: Clock; stopping: GracefulClose }

async function sendAnswer(reply: FastifyReply, answer: unknown, { endpoint, ...parts }: Answering): Promise<void> {
  if (answer instanceof NegotiatedAnswer) await sendStream(reply, answer.answer(reply.request), parts)
  else sendText(reply, answer, endpoint)
}

function sendText(reply: FastifyReply, answer: unknown, endpoint: Endpoint): void {
  if (answer instanceof PlainAnswer)
    return void reply.code(answer.status).type('text/plain; charset=utf-8').send(answer.text)
  if (answer instanceof SerializedAnswer && answer.headers) reply.headers(answer.headers)
  reply.type(endpoint.answerType ?? JSON_TYPE).send(textOf(endpoint, answer))
}

function textOf({ answerType }: Endpoint, answer: unknown): string | Uint8Array {
  if (answer instanceof SerializedAnswer) return answer.json
  return answerType === undefined ? JSON.stringify(answer) : String(answer)
}

/** Fields before ids: an invalid request gets its own error even if its chat does not exist. */
function inputOf(endpoint: Endpoint, request: FastifyRequest): Omit<AnyInput, 'upload' | 'form'> {
  const { params, query, headers, body } = endpoint
  return {
    query: query && checkFields(query, request.query, { whole: 'query' }),
    headers: headers && checkFields(headers, request.headers, { whole: 'headers' }),
    body: body && checkFields(body, request.body, { whole: 'body' }),
    params: params && checkFields(params, request.params, { whole: 'path' }),
    isHead: request.method === 'HEAD',
  }
}
