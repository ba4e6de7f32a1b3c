// Routes from the table of endpoints: each checks its input, calls its handler and answers JSON.
import { checkFields, type Endpoint, type EndpointName, endpoints } from '@postern/protocol/bot-api'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type Handlers, Serialized } from './handlers.ts'
import type { Stopping } from './stopping.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without a token. */
    open?: boolean
  }
}

type AnyInput = { params: unknown; query: unknown; body: unknown }
type AnyHandler = (input: AnyInput, gone: AbortSignal) => unknown

export function addRoutes(server: FastifyInstance, handlers: Handlers, stopping: Stopping): void {
  for (const name of Object.keys(endpoints) as EndpointName[])
    server.route(routeOf(endpoints[name], handlers[name] as AnyHandler, stopping))
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
      const json = answer instanceof Serialized ? answer.json : JSON.stringify(answer)
      return reply.type('application/json; charset=utf-8').send(json)
    },
  }
}

const inputOf = ({ params, query, body }: Endpoint, request: FastifyRequest): AnyInput => ({
  params: params && checkFields(params, request.params, { whole: 'path' }),
  query: query && checkFields(query, request.query, { whole: 'query' }),
  body: body && checkFields(body, request.body, { whole: 'body' }),
})

/** Tells when the connection closes: nobody waits for the answer any more. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
