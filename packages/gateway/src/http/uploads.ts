// Bodies that are no JSON: handed on as they come, whatever their header says they are.
import type { IncomingMessage } from 'node:http'
import { type Clock, GatheredBytes, gatewayLimits } from '@postern/protocol'
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

type Reading = {
  /** `brief`: a piece holds only until the next one is asked for. */
  pieces: 'kept' | 'brief'
  clock: Clock
  bytesMax: number
  /** What is said when there are more. */
  tooMany: () => Error
}

/** A sender that stands still is cut off: it would keep its place for ever. */
export async function* bodyOf(
  { raw, headers }: FastifyRequest,
  reading: Reading,
): AsyncGenerator<Uint8Array, undefined> {
  const { clock, bytesMax, tooMany, pieces } = reading
  if (Number(headers['content-length']) > bytesMax) throw tooMany()
  // The connection outlives whoever reads: it must still carry the answer.
  const kept = () => raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>
  const chunks = pieces === 'brief' ? new GatheredBytes(raw, setImmediate) : kept()
  let length = 0
  const forget = endWithConnection(raw)
  try {
    for (;;) {
      const idle = clock.setTimer(gatewayLimits.fileIdleMs, () => raw.destroy())
      const { value: chunk } = await chunks.next().finally(() => idle.cancel())
      if (!chunk) return
      length += chunk.length
      if (length > bytesMax) throw tooMany()
      yield chunk
    }
  } catch (error) {
    throw length > bytesMax ? error : badField('body', 'it ended early')
  } finally {
    forget()
    await chunks.return?.()
  }
}

/** After the answer the server forgets a request: its body would then wait in vain for a connection that has closed. */
function endWithConnection(raw: IncomingMessage): () => void {
  const end = () => void raw.destroy()
  raw.socket.once('close', end)
  return () => void raw.socket.off('close', end)
}

/** What is still on its way is read and forgotten: a sender that is cut off does not see the answer. */
export function forgetRest({ raw }: FastifyRequest, { clock }: { clock: Clock }): void {
  if (raw.readableEnded || raw.destroyed) return
  let length = 0
  const cut = () => raw.destroy()
  let idle = clock.setTimer(gatewayLimits.fileIdleMs, cut)
  raw.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    idle.cancel()
    if (length > gatewayLimits.refusedBytesMax) cut()
    else idle = clock.setTimer(gatewayLimits.fileIdleMs, cut)
  })
  const forget = endWithConnection(raw)
  for (const over of ['end', 'close', 'error'])
    raw.once(over, () => {
      idle.cancel()
      forget()
    })
  // Whoever read before may have paused it.
  raw.resume()
}
