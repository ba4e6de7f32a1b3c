// Servers that answer the doctor by HTTP with nothing, nonsense, too much or something else. None delays it.
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createPlainServer, type Socket } from 'node:net'
import { expect } from 'vitest'
import { serving } from './doctor.ts'
import { fall, type Silence, test } from './doctor-patient.ts'
import { makeCertificate } from './example-proxy.ts'

const oneLine = /^(FAIL|warn) \P{Cc}+ → \P{Cc}+$/u

/** A server that does not speak valid HTTP. */
async function talking(talk: (socket: Socket) => void): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<Socket>()
  const server = createPlainServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    talk(socket)
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const strange: [who: string, talk: (socket: Socket, silence: Silence) => void][] = [
  ['says nothing', (_, silence) => fall(silence)],
  ['hangs up', socket => socket.destroy()],
  ['speaks no HTTP', socket => void socket.write('\u001b[2J220 smtp.example ready\r\n')],
  [
    'never ends its head',
    (socket, silence) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ')
      fall(silence)
    },
  ],
]

test.for(strange)(
  '[CLI-6.3] a relay, a receiver and an address of hooks that %s',
  async ([, talk], { patient, silence }) => {
    await using stranger = await talking(socket => talk(socket, silence))
    const { code, of, text } = await patient({
      RELAY_URL: stranger.url,
      WEBHOOK_URL: stranger.url,
      HOOKS_URL: stranger.url,
    })
    expect(code).toBe(1)
    for (const subject of ['relay', 'webhook', 'hooks'] as const)
      expect(of(subject)).toEqual([expect.stringMatching(oneLine)])
    expect(text).not.toContain('\u001b')
  },
)

const answers: [who: string, answer: (response: ServerResponse) => void][] = [
  ['answers all with a page', response => void response.end('<h1>Welcome</h1>')],
  ['redirects', response => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['answers with an error and no reason', response => void response.writeHead(599, '\u0080').end()],
]

test.for(answers)('[CLI-6.3] a relay and an address of hooks that %s', async ([, answer], { patient }) => {
  await using stranger = await serving(createServer((_, response) => answer(response)))
  const { of } = await patient({ RELAY_URL: stranger.url, HOOKS_URL: stranger.url })
  expect(of('relay')).toEqual([expect.stringMatching(oneLine)])
  expect(of('hooks')).toEqual([expect.stringMatching(oneLine)])
})

test('[CLI-6.3] of a body without end only a little is read, and the status counts', async ({ patient }) => {
  let sentBytes = 0
  const endless = (response: ServerResponse) => {
    const more = () => {
      if (response.destroyed) return
      sentBytes += 65_536
      response.write(Buffer.alloc(65_536, 0x20), more)
    }
    response.writeHead(200)
    more()
  }
  await using stranger = await serving(createServer((_, response) => endless(response)))
  const { of } = await patient({ WEBHOOK_URL: stranger.url })
  expect(of('webhook')).toEqual([`ok ${stranger.host} answers`])
  expect(sentBytes).toBeLessThan(64 * 1024 * 1024)
})

test('[CLI-6.3] a body that comes drop by drop does not hold it up either', async ({ patient, silence }) => {
  const drop = (response: ServerResponse) => {
    response.writeHead(404).write('{"error":')
    fall(silence)
  }
  await using stranger = await serving(createServer((_, response) => drop(response)))
  const { of } = await patient({ HOOKS_URL: stranger.url })
  expect(of('hooks')).toEqual([expect.stringMatching(oneLine)])
})

test('[CLI-6.3] a certificate that is not accepted, and a port without TLS', async ({ patient, directory }) => {
  const { certificate, key } = makeCertificate(directory)
  const tls = { cert: readFileSync(certificate), key: readFileSync(key) }
  await using stranger = await serving(createTlsServer(tls, (_, response) => void response.end('{}')))
  const closed = `https://localhost:${stranger.port}`
  const untrusted = await patient({ RELAY_URL: closed, WEBHOOK_URL: closed })
  expect(untrusted.of('relay')).toEqual([
    expect.stringMatching(/^FAIL .*authority that this machine does not trust.* → .*NODE_EXTRA_CA_CERTS/),
  ])
  expect(untrusted.of('webhook')).toEqual([
    expect.stringMatching(/^FAIL .*authority that this machine does not trust.* → .*NODE_EXTRA_CA_CERTS/),
  ])
  await using plain = await serving(createServer((_, response) => void response.end('{}')))
  const open = await patient({ RELAY_URL: plain.url.replace('http:', 'https:') })
  expect(open.of('relay')).toEqual([expect.stringMatching(/^FAIL .*it does not speak TLS/)])
})
