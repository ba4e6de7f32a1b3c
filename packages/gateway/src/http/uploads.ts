// Bodies that are no JSON: handed on as they come, whatever their header says they are.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { badField } from './errors.ts'

/** In a scope of its own: everywhere else JSON is required. */
export function acceptUploads(server: FastifyInstance, route: RouteOptions): void {
  void server.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_: FastifyRequest, body: IncomingMessage) => body)
    scope.route(route)
  })
}

export async function* uploadOf(
  { raw, headers }: FastifyRequest,
  { bytesMax }: { bytesMax: number },
): AsyncGenerator<Uint8Array> {
  if (Number(headers['content-length']) > bytesMax) throw badField('body', `at most ${bytesMax} bytes are allowed`)
  try {
    // The connection outlives whoever reads: it must still carry the answer.
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array
  } catch {
    throw badField('body', 'it ended early')
  } finally {
    // What is still on its way is read and forgotten: a sender that is cut off does not see the answer.
    raw.resume()
  }
}
