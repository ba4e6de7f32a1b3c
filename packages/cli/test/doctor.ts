// The doctor in this process: with real gateways and relays, on a machine of which each part can be broken.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type Clock, systemClock } from '@postern/protocol'
import type { World } from '@postern/testkit'
import type { TestCertificate } from '@postern/testkit/authority'
import { readDoctorSettings } from '../src/doctor/doctor-settings.ts'
import type { DiagnosisSubject } from '../src/doctor/finding.ts'
import type { Machine } from '../src/doctor/machine.ts'
import { examine } from '../src/doctor/run-doctor.ts'

/** A machine with a nearly empty ext4 disk: the disks of test machines are of all kinds. */
export const goodMachine = (): Machine => ({
  uid: process.getuid?.(),
  nodeVersion: '24.0.0',
  codeCache: '/var/cache/postern',
  readDisk: () => ({ type: 0xef53, freeBytes: 1e12, totalBytes: 2e12, freeFiles: 1e6 }),
})

type Asked = { clock?: Clock; machine?: Partial<Machine>; app?: string }

export class Report {
  readonly code: number
  readonly text: string

  constructor(code: number, text: string) {
    this.code = code
    this.text = text
  }

  /** The lines about one subject, without their columns: `FAIL text → todo`. */
  readonly of = (subject: DiagnosisSubject): string[] =>
    this.text
      .split('\n')
      .filter(line => line.slice(6).startsWith(`${subject} `))
      .map(line => `${line.slice(0, 6).trim()} ${line.slice(17)}`)
}

export async function doctor(argv: readonly string[], env: Record<string, string>, asked: Asked = {}): Promise<Report> {
  const settings = readDoctorSettings(argv, env)
  let text = ''
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString()
      done()
    },
  })
  const machine = { ...goodMachine(), ...asked.machine }
  const code = await examine(settings, { clock: asked.clock ?? systemClock, machine, output, app: asked.app })
  return new Report(code, text)
}

/** The settings of a world's gateway. */
export const settingsOf = (world: World, more: Record<string, string> = {}): Record<string, string> => ({
  BOT_TOKEN: 'a-token-that-is-long-enough',
  BOT_NAME: 'bot',
  RELAY_URL: world.relayUrl,
  LISTEN: '127.0.0.1:0',
  DATA_DIR: join(world.directory, 'gateway'),
  ...more,
})

type Listening = { url: string; host: string; port: number; close(): void }

export async function serving(server: Server, port = 0): Promise<Listening & AsyncDisposable> {
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(port, '127.0.0.1', resolve)
  await listening
  const { port: taken } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const host = `127.0.0.1:${taken}`
  return { url: `http://${host}`, host, port: taken, close, [Symbol.asyncDispose]: async () => close() }
}

type FrontOptions = {
  to: () => string
  port?: number
  /** The Host that it forwards; by default the one of the request. */
  host?: string
  /** A status for paths that it does not forward; 0 for those that it never answers. */
  refuse?: (path: string) => number | undefined
  /** With it the proxy speaks TLS. */
  certificate?: TestCertificate
}

/** A proxy in front of a relay or a gateway. Paths are forwarded unchanged. */
export async function front({
  to,
  port,
  host,
  refuse,
  certificate,
}: FrontOptions): Promise<Listening & AsyncDisposable> {
  const changed = ({ headers }: IncomingMessage) => ({ ...headers, ...(host !== undefined && { host }) })
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const status = refuse?.(incoming.url ?? '')
    if (status === 0) return
    if (status !== undefined) return void response.writeHead(status).end('<h1>no</h1>')
    const { hostname, port: target } = new URL(to())
    const options = { hostname, port: target, path: incoming.url, method: incoming.method, headers: changed(incoming) }
    const outgoing = request(options, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.writeHead(502).end())
    incoming.pipe(outgoing)
  }
  const server = certificate ? createTlsServer(certificate, pass) : createServer(pass)
  server.on('upgrade', (incoming, near) => {
    const status = refuse?.(incoming.url ?? '')
    if (status !== undefined) return void near.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
    const { hostname, port: target } = new URL(to())
    const far = connect(Number(target), hostname, () => {
      const lines = Object.entries(changed(incoming)).map(([name, value]) => `${name}: ${String(value)}`)
      far.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      near.pipe(far).pipe(near)
    })
    far.on('error', () => near.destroy())
    near.on('error', () => far.destroy())
    near.on('close', () => far.destroy())
  })
  return await serving(server, port)
}

type Heard = { method: string; headers: IncomingMessage['headers']; body: string }

/** A receiver with a given answer, which records its requests. */
export async function receiver(answer: (response: ServerResponse, heard: Heard) => void) {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      const one = { method: request.method ?? '', headers: request.headers, body }
      heard.push(one)
      answer(response, one)
    })
  })
  const listening = await serving(server)
  return { ...listening, heard, address: `${listening.url}/a-secret-path?key=hidden` }
}

export const status = (code: number, headers: Record<string, string> = {}) => {
  return (response: ServerResponse) => void response.writeHead(code, headers).end('{}')
}
