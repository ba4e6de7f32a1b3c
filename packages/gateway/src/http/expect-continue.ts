// Answers `Expect: 100-continue` only when a handler is about to read the body.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

const waiting = new WeakMap<IncomingMessage, ServerResponse>()

export function handleExpectContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
  // No other expectation is known; Node's own refusal would not be JSON.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
}

export function sendContinue(request: IncomingMessage): void {
  const response = waiting.get(request)
  waiting.delete(request)
  if (response && !response.headersSent) response.writeContinue()
}

/** Whether the body may never come. */
export const isWaiting = (request: IncomingMessage): boolean => waiting.has(request)
