// Streams an answer piece by piece. A client that hangs up or stalls ends the reading.
import type { ServerResponse } from 'node:http'
import { type Clock, Deferred, gatewayLimits } from '@postern/protocol'
import type { FastifyReply } from 'fastify'
import type { StreamedAnswer } from './answers.ts'
import type { GracefulClose } from './graceful-close.ts'

type StreamParts = { clock: Clock; stopping: GracefulClose }

export async function sendStream(
  reply: FastifyReply,
  { status, headers, read }: StreamedAnswer,
  { clock, stopping }: StreamParts,
): Promise<FastifyReply> {
  if (reply.request.method === 'HEAD') return reply.code(status).headers(headers).send()
  const bytes = read()[Symbol.asyncIterator]()
  try {
    // Before the head is sent: until then a fault is an answer, not a cut connection.
    let step = await bytes.next()
    reply.hijack()
    reply.raw.writeHead(status, { ...headers, ...(stopping.isStopping && { connection: 'close' }) })
    for (; !step.done; step = await bytes.next()) await write(reply.raw, step.value, clock)
    reply.raw.end()
  } catch (error) {
    if (!reply.raw.headersSent) throw error
    // Half a file must not look whole.
    reply.raw.destroy()
  } finally {
    await bytes.return?.()
  }
  return reply
}

/** Resolves when nothing reads the bytes any more: the buffer may then be reused. */
async function write(response: ServerResponse, bytes: Uint8Array, clock: Clock): Promise<void> {
  const written = new Deferred()
  const closed = () => written.reject(new Error('the reader has gone'))
  response.once('close', closed)
  written.onSettled(() => response.off('close', closed))
  written.after(clock, gatewayLimits.fileIdleMs, () => response.destroy())
  response.write(bytes, error => (error ? written.reject(error) : written.resolve()))
  await written.promise
}
