// Passes on bodies that are not JSON as streams, whatever their Content-Type says.
import type { IncomingMessage } from 'node:http'
import { type Clock, CodedError, GatheredBytes, gatewayLimits } from '@postern/protocol'
import { wakeNextTurn } from '@postern/protocol/node'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { badField } from './errors.ts'
import { sendContinue } from './expect-continue.ts'
import { MinimumRate } from './minimum-rate.ts'

/** In a separate scope: everywhere else JSON is required. */
export function acceptUploads(server: FastifyInstance, route: RouteOptions): void {
  void server.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_, body, done) => done(null, body))
    scope.route(route)
  })
}

type Reading = {
  /** `brief`: a piece is valid only until the next one is requested. */
  pieces: 'kept' | 'brief'
  clock: Clock
  bytesMax: number
  /** The error for a longer body. */
  tooMany: () => Error
}

/** A sender that makes no progress is cut off: it would occupy its slot forever. */
export async function* bodyOf(
  { raw, headers }: FastifyRequest,
  reading: Reading,
): AsyncGenerator<Uint8Array, undefined> {
  const { clock, bytesMax, tooMany, pieces } = reading
  if (Number(headers['content-length']) > bytesMax) throw tooMany()
  // The connection outlives the reader: it must still carry the answer.
  const kept = () => raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>
  const chunks = pieces === 'brief' ? new GatheredBytes(raw, wakeNextTurn) : kept()
  let length = 0
  const pace = new MinimumRate(clock)
  const forget = endWithConnection(raw)
  sendContinue(raw)
  try {
    for (;;) {
      pace.wait()
      const idle = clock.setTimer(gatewayLimits.fileIdleMs, () => raw.destroy())
      const { value: chunk } = await chunks.next().finally(() => idle.cancel())
      if (!chunk) return
      length += chunk.length
      if (length > bytesMax) throw tooMany()
      if (!pace.isKeptWith(chunk.length)) throw tooSlow()
      yield chunk
    }
  } catch (error) {
    throw error instanceof CodedError ? error : badField('body', 'ended too early')
  } finally {
    forget()
    await chunks.return?.()
  }
}

const tooSlow = () =>
  badField('body', `arrived too slowly: send at least ${gatewayLimits.fileIdleBytesMin} bytes a minute`)

/** After the answer the server forgets a request: its body would then wait forever for a connection that has closed. */
function endWithConnection(raw: IncomingMessage): () => void {
  const end = () => void raw.destroy()
  raw.socket.once('close', end)
  return () => void raw.socket.off('close', end)
}

/** The rest of the body is read and discarded: a sender that is cut off does not see the answer. */
export function forgetRest({ raw }: FastifyRequest, { clock }: { clock: Clock }): void {
  if (raw.readableEnded || raw.destroyed) return
  let length = 0
  const pace = new MinimumRate(clock)
  const cut = () => raw.destroy()
  let idle = clock.setTimer(gatewayLimits.fileIdleMs, cut)
  raw.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    idle.cancel()
    if (length > gatewayLimits.refusedBytesMax || !pace.isKeptWith(chunk.length)) return void cut()
    idle = clock.setTimer(gatewayLimits.fileIdleMs, cut)
    pace.wait()
  })
  const forget = endWithConnection(raw)
  for (const over of ['end', 'close', 'error'])
    raw.once(over, () => {
      idle.cancel()
      forget()
    })
  // An earlier reader may have paused it.
  raw.resume()
}
