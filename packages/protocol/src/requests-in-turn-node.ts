// Runs the requests of one HTTP connection one at a time, and cuts a connection that pipelines too many.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { httpLimits } from './limits.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
type Exchange = { request: IncomingMessage; response: ServerResponse }

/**
 * Node parses everything that one read brings, and would start thousands of handlers for 64 KB of pipelined requests.
 * Here the next handler starts when the answer before it has gone out, so the cost of a connection is that of one request.
 */
export function requestsInTurn(answer: Answer): Answer {
  /** The first exchange is the one that is being answered. */
  const waiting = new WeakMap<Socket, Exchange[]>()

  function begin(socket: Socket, line: Exchange[]): void {
    const [next] = line
    if (!next || socket.destroyed) {
      waiting.delete(socket)
      return
    }
    answer(next.request, next.response)
    // Registered last: what the answer itself does at its end must happen before the next request begins.
    next.response.once('close', () => {
      line.shift()
      begin(socket, line)
    })
  }

  return (request, response) => {
    const { socket } = request
    // Node still parses the rest of the bytes from a connection that was cut.
    if (socket.destroyed) return
    const line = waiting.get(socket)
    if (line) {
      line.push({ request, response })
      if (line.length > 1 + httpLimits.pipelinedMax) socket.destroy()
      return
    }
    const begun = [{ request, response }]
    waiting.set(socket, begun)
    begin(socket, begun)
  }
}
