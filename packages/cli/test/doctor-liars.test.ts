// Relays and control sockets that lie to the doctor, or stay silent: each is one line.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createPlainServer, type Server as PlainServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { encodeRelayFrame, PROTOCOL_VERSION, type RelayFrame } from '@postern/protocol/relay'
import { expect } from 'vitest'
import { WebSocketServer } from 'ws'
import { doctor, serving } from './doctor.ts'
import { fall, type Silence, test } from './doctor-patient.ts'

async function listeningAt(server: PlainServer, path: string): Promise<void> {
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(path, resolve)
  await listening
}

/** Returns whether it has sent something. `heard`: how many frames came before. */
type Say = (send: (bytes: Uint8Array) => void, heard: number, goodbye: (words: string) => void) => boolean
const bytes =
  (said: Uint8Array): Say =>
  send => {
    send(said)
    return true
  }

/** A relay with a normal health answer that sends anything by WebSocket. */
async function relaySaying(say: Say, silence: Silence) {
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer((_, response) => void response.end('{}'))
  server.on('upgrade', (request, stream, head) =>
    sockets.handleUpgrade(request, stream, head, socket => {
      let heard = 0
      socket.on('error', () => undefined)
      const next = () => {
        const goodbye = (words: string) => socket.close(1002, words)
        if (!say(bytes => socket.send(bytes), heard, goodbye)) fall(silence)
        heard += 1
      }
      next()
      socket.on('message', next)
    }),
  )
  return await serving(server)
}

const challenge = (nowMs: number): RelayFrame => ({ kind: 'challenge', nonce: new Uint8Array(32), nowMs })
const failure = (code: string): RelayFrame => ({
  kind: 'failure',
  id: 1,
  code,
  message: 'a message\u001b[2J',
  retryAtMs: undefined,
  serial: undefined,
})

const frames =
  (...said: RelayFrame[]): Say =>
  (send, heard) => {
    const frame = said[heard]
    if (frame) send(encodeRelayFrame(frame))
    return frame !== undefined
  }

/** As a relay of 0.1 does, whose first frame can still be read. */
const olderRelay: Say = (send, heard, goodbye) => {
  if (heard === 0) send(encodeRelayFrame(challenge(Date.now())))
  else goodbye('version-unsupported')
  return true
}

const liars: [who: string, say: Say, lines: RegExp[]][] = [
  ['says nothing by WebSocket', () => false, [/^FAIL relay .*does not accept a WebSocket.*did not answer/]],
  ['sends nonsense', bytes(Buffer.from([PROTOCOL_VERSION, 7, 7])), [/^FAIL relay .*is not a relay/]],
  ['sends a huge frame', bytes(Buffer.alloc(5 * 1024 * 1024)), [/^FAIL relay .*does not accept a WebSocket/]],
  ['is of another version', bytes(Buffer.from([99, 128])), [/^FAIL relay .*an incompatible version/]],
  ['is too old for the login', olderRelay, [/^FAIL relay .*an incompatible version .*Update/]],
  ['delivers before the login', frames({ kind: 'deliver', entries: [] }), [/^FAIL relay .*is not a relay/]],
  [
    'does not judge the login',
    frames(challenge(Date.now())),
    [/^ok relay /, /^warn host .*is unknown: it did not answer/, /^ok clock /],
  ],
  [
    'refuses the login by another reason',
    frames(challenge(Date.now()), failure('wait\u001b[1m')),
    [/^ok relay /, /^warn host .*is unknown: it says wait\[1m/, /^ok clock /],
  ],
  [
    'has a clock beyond all time',
    frames(challenge(Number.MAX_SAFE_INTEGER), failure('account-unknown')),
    [/^ok relay /, /^ok host /, /^FAIL clock .*behind the relay's/],
  ],
  [
    'has a clock at the beginning of time',
    frames(challenge(0), failure('account-unknown')),
    [/^ok relay /, /^ok host /, /^FAIL clock .*ahead of the relay's/],
  ],
]

test.for(liars)('[CLI-6.3] a relay that %s', async ([, say, lines], { patient, silence }) => {
  await using relay = await relaySaying(say, silence)
  const { text } = await patient({ RELAY_URL: relay.url })
  const about = text.split('\n').filter(line => /^\S+\s+(relay|host|clock) /.test(line))
  const short = about.map(line => line.replace(/ +/g, ' '))
  expect(short).toEqual(lines.map(line => expect.stringMatching(line)))
  expect(text).not.toContain('\u001b')
})

const sockets: [who: string, talk: (socket: Socket, silence: Silence) => void, line: RegExp][] = [
  [
    'never answers',
    (_, silence) => fall(silence),
    /^FAIL the gateway has its control socket open but does not answer → /,
  ],
  [
    'answers nonsense',
    socket => void socket.end('hello\u001b[2J\n'),
    /^warn the process on the control socket is another version/,
  ],
  [
    'answers otherwise',
    socket => void socket.end('{"done":{"a":1}}\n'),
    /^warn the process on the control socket is another version/,
  ],
  [
    'does not know the question',
    socket => void socket.end('{"error":"command: \\"status\\" is not a known command.","code":"bad-field"}\n'),
    /^warn the process on the control socket is another version .*not a known command\) → /,
  ],
  ['hangs up', socket => socket.destroy(), /^warn no gateway is running on the directory → /],
]

test('[CLI-6.3] a process that does not answer is not asked to let its database stand still', async ({
  env,
  silence,
  directory,
  patient,
}) => {
  writeFileSync(join(directory, 'core.db'), '')
  const server = createPlainServer(socket => {
    // Must be read to its end, or it stays open after the doctor has hung up.
    socket.on('error', () => undefined).resume()
    fall(silence)
  })
  await listeningAt(server, join(directory, 'control.sock'))
  const { of } = await patient(env, ['--deep'])
  server.close()
  expect(of('database')).toEqual([
    expect.stringMatching(/^warn not checked: the process that has it open does not answer/),
  ])
})

test('[CLI-6.3] a socket whose path is too long is said, and who runs there with it', async ({ env, directory }) => {
  const long = join(directory, 'a'.repeat(120))
  mkdirSync(long, { mode: 0o700 })
  const { of } = await doctor([], { ...env, DATA_DIR: long })
  expect(of('process')).toEqual([expect.stringMatching(/^warn no gateway can be queried → .*too long for a socket/)])
})

test.for(sockets)(
  '[CLI-6.3] a process whose control socket %s',
  async ([, talk, line], { patient, silence, directory }) => {
    const server = createPlainServer(socket => {
      socket.on('error', () => undefined).resume()
      talk(socket, silence)
    })
    const { promise: listening, resolve } = Promise.withResolvers<void>()
    server.listen(join(directory, 'control.sock'), resolve)
    await listening
    const { of, text } = await patient({})
    server.close()
    expect(of('process')).toEqual([expect.stringMatching(line)])
    expect(text).not.toContain('\u001b')
  },
)
