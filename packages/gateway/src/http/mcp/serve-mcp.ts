// The route of the Model Context Protocol: a token of its own, and no browsers. Nothing of a stranger's body is read.

import { type AnswerAgent, type McpContext, McpFace } from '@postern/mcp'
import { type Clock, CodedError, mcpLimits } from '@postern/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fullAccess } from '../../access.ts'
import { AnswerOutcomes } from '../answer-outcomes.ts'
import { StreamedAnswer } from '../answers.ts'
import { bearerOf, secretChecker } from '../authenticate.ts'
import { callInProcess } from '../call-in-process.ts'
import { trustConnection } from '../connections.ts'
import type { GracefulClose } from '../graceful-close.ts'
import type { Handlers } from '../handler.ts'
import { JSON_TYPE } from '../malformed.ts'
import { RequestCaller } from '../request-caller.ts'
import { sendStream } from '../send-stream.ts'

export type McpServing = { handlers: Handlers; stopping: GracefulClose }

export type ServedMcp = {
  serve(server: FastifyInstance, serving: McpServing): void
  start(): void
  release(): void
  stop(): Promise<void>
}

export async function serveMcp(context: McpContext, token: string): Promise<ServedMcp> {
  const face = await McpFace.open(context)
  return {
    serve: (server, serving) => {
      const answer = face.serve(callInProcess(serving.handlers))
      addRoute(server, { ...serving, answer, token, clock: context.clock })
    },
    start: () => face.start(),
    release: () => face.release(),
    stop: () => face.stop(),
  }
}

type Route = McpServing & { answer: AnswerAgent; token: string; clock: Clock }

function addRoute(server: FastifyInstance, route: Route): void {
  const isToken = secretChecker(route.token)
  server.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    bodyLimit: mcpLimits.bodyBytesMax,
    config: { open: true, takesBody: true },
    onRequest: (request, reply, done) => {
      // Only browsers send it. A page that reached this address by a name of its own must not learn more.
      if (request.headers.origin !== undefined) return void refuseOrigin(reply)
      if (!isToken(bearerOf(request.headers.authorization) ?? '')) return done(new CodedError('mcp-token-wrong'))
      trustConnection(request.raw.socket)
      done()
    },
    handler: async (request, reply) => await answerAgent(request, reply, route),
  })
}

const refuseOrigin = (reply: FastifyReply): FastifyReply =>
  reply
    .code(403)
    .type(JSON_TYPE)
    .send(JSON.stringify({ error: 'Origin: browsers cannot use this address.', code: 'unauthorized' }))

async function answerAgent(request: FastifyRequest, reply: FastifyReply, route: Route): Promise<FastifyReply> {
  const { gone } = new RequestCaller(reply.raw, { fates: new AnswerOutcomes(), access: fullAccess })
  const { answer, stopping, clock } = route
  const asked = new Request('http://gateway/mcp', {
    method: request.method,
    headers: headersOf(request),
    signal: gone,
  })
  const response = await stopping.orStopping(answer(asked, request.body ?? null))
  const { status, headers, body } = response
  const streamed = new StreamedAnswer({
    status,
    headers: { ...Object.fromEntries(headers), 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    read: () => piecesOf(body),
  })
  return await sendStream(reply, streamed, { clock, stopping })
}

async function* piecesOf(body: Response['body']): AsyncGenerator<Uint8Array> {
  if (body) yield* body
}

function headersOf({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && name !== 'authorization' ? [[name, value]] : [],
  )
}
