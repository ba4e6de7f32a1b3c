// Input that is hardly HTTP: the relay answers in JSON, too, and mixes no refusal into another answer.
import { once } from 'node:events'
import { connect } from 'node:net'
import { relayDefaults } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import type { Relay } from '../src/index.ts'
import { begin, put } from './put-blob.ts'
import { arrive, testRelay } from './relay-fixture.ts'

/** The head and the JSON of the whole answer. */
async function send({ port }: Relay, bytes: string): Promise<[string, unknown]> {
  const socket = connect(port, '127.0.0.1')
  const pieces: Buffer[] = []
  socket.on('data', piece => void pieces.push(piece))
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  const [head = '', body = ''] = Buffer.concat(pieces).toString().split('\r\n\r\n')
  return [head.split('\r\n', 1)[0] ?? '', body === '' ? undefined : JSON.parse(body)]
}

const host = 'Host: relay\r\nConnection: close\r\n'
const bad = (error: string) => ({ code: 'bad-field', error })

describe('what is hardly HTTP', () => {
  test.each([
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', '400 Bad Request', 'Host: is required.'],
    [
      'too large a head',
      `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
      `headers: must have at most ${relayDefaults.requestHeadBytesMax} bytes, address and headers together.`,
    ],
    ['an unknown method', `BREW / HTTP/1.1\r\n${host}\r\n`, '405 Method Not Allowed', 'method: is not supported here.'],
    ['CONNECT', `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`, '405 Method Not Allowed', 'method: is not supported here.'],
    ['words', 'HELLO\r\n\r\n', '405 Method Not Allowed', 'method: is not supported here.'],
    ['a bad header', `GET / HTTP/1.1\r\n${host}X\r\n\r\n`, '400 Bad Request', 'request: must be valid HTTP.'],
    [
      'two lengths',
      `PUT /blobs/x HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
      '400 Bad Request',
      'request: must be valid HTTP.',
    ],
  ])('[RELAY-3.7] %s', async (_, bytes, status, error) => {
    expect(await send(await testRelay(), bytes)).toEqual([`HTTP/1.1 ${status}`, bad(error)])
  })

  test('[RELAY-3.7] a request is answered before what follows it is refused', async () => {
    const socket = connect((await testRelay()).port, '127.0.0.1')
    const pieces: Buffer[] = []
    socket.on('data', piece => void pieces.push(piece))
    socket.write('GET /healthz HTTP/1.1\r\nHost: relay\r\n\r\nHELLO\r\n\r\n')
    await once(socket, 'close')
    const answers = Buffer.concat(pieces).toString()
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 405'])
  })

  test.each([
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: relay\r\n\r\n', 405],
    ['a broken body', 'PUT /blobs/x HTTP/1.1\r\nHost: relay\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n', 400],
  ])('[RELAY-3.7] a blob comes whole before %s behind it is refused', async (_, behind, status) => {
    const relay = await testRelay()
    const begun = await begin(relay, await arrive(relay), 300_000)
    await put(begun, Buffer.alloc(300_000, 'x'), 0)
    const socket = connect(relay.port, '127.0.0.1')
    const pieces: Buffer[] = []
    socket.on('data', piece => void pieces.push(piece))
    socket.write(`GET /blobs/${begun.blob} HTTP/1.1\r\nHost: relay\r\n\r\n${behind}`)
    await once(socket, 'close')
    const answers = Buffer.concat(pieces).toString()
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', `HTTP/1.1 ${status}`])
    expect(/\r\n\r\n(x+)HTTP/.exec(answers)?.[1]).toHaveLength(300_000)
  })

  test('[RELAY-3.7] a wrong method for a blob is told in words, too', async () => {
    const { url } = await testRelay()
    const answer = await fetch(`${url}/blobs/${'a'.repeat(32)}`, { method: 'POST' })
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, OPTIONS')
    expect([answer.status, await answer.json()]).toEqual([405, bad('method: must be GET, HEAD, PUT or OPTIONS.')])
  })
})
