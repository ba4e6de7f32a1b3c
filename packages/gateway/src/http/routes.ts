// Routes from the table of endpoints: each checks its input, calls its handler and answers.
import { checkFields, type Endpoint, type EndpointName, endpoints } from '@postern/protocol/bot-api'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type Handlers, Serialized } from './handlers.ts'
import type { Stopping } from './stopping.ts'
import { acceptUploads, uploadOf } from './uploads.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without a token. */
    open?: boolean
  }
}

type AnyInput = Record<'params' | 'query' | 'headers' | 'body' | 'upload', unknown>
type AnyHandler = (input: AnyInput, gone: AbortSignal) => unknown

export function addRoutes(server: FastifyInstance, handlers: Handlers, stopping: Stopping): void {
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const endpoint: Endpoint = endpoints[name]
    const route = routeOf(endpoint, handlers[name] as AnyHandler, stopping)
    if (endpoint.upload) acceptUploads(server, route)
    else server.route(route)
  }
}

function routeOf(endpoint: Endpoint, handler: AnyHandler, stopping: Stopping): RouteOptions {
  const isOpen = endpoint.open === true
  return {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { open: isOpen },
    // Health checks ask with HEAD as well; elsewhere it is a wrong method.
    exposeHeadRoute: isOpen,
    handler: async (request, reply) => {
      const working = Promise.resolve(handler(inputOf(endpoint, request), goneSignal(reply)))
      const answer = await stopping.orStopping(working)
      return reply.type(endpoint.answerType ?? 'application/json; charset=utf-8').send(textOf(endpoint, answer))
    },
  }
}

function textOf({ answerType }: Endpoint, answer: unknown): string {
  if (answer instanceof Serialized) return answer.json
  return answerType === undefined ? JSON.stringify(answer) : String(answer)
}

/** Fields before ids: what is wrong with the request itself is said even when its chat does not exist. */
function inputOf(endpoint: Endpoint, request: FastifyRequest): AnyInput {
  const { params, query, headers, body, upload } = endpoint
  return {
    query: query && checkFields(query, request.query, { whole: 'query' }),
    headers: headers && checkFields(headers, request.headers, { whole: 'headers' }),
    body: body && checkFields(body, request.body, { whole: 'body' }),
    params: params && checkFields(params, request.params, { whole: 'path' }),
    upload: upload && uploadOf(request, upload),
  }
}

/** Tells when the connection closes: nobody waits for the answer any more. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
