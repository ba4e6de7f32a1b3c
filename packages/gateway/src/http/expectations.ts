// Who asks before it sends its body (Expect: 100-continue) is told to go on only when somebody is about to read it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const waiting = new WeakMap<IncomingMessage, ServerResponse>()

export function heedExpectations(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
  // Nobody knows another expectation; a refusal of Node's own would be no JSON.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
}

export function goOn(request: IncomingMessage): void {
  const response = waiting.get(request)
  waiting.delete(request)
  if (response && !response.headersSent) response.writeContinue()
}

/** Whether the body may never come. */
export const isWaiting = (request: IncomingMessage): boolean => waiting.has(request)
