// The web app, served to browsers of this machine for one relay.
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { CodedError } from '@postern/protocol'
import type { AppFile, AppFiles } from '@postern/relay/app-files'
import { type ServedApp, serveApp } from '@postern/relay/serve-app'
import type { OwnAppSettings } from './app-settings.ts'

// An import would load undici for its re-exported names, which nothing here uses.
const { createServer } = process.getBuiltinModule('node:http')

const HOST = '127.0.0.1'
/** In the page and in its service worker. Without a value, the relay is the server of the page. */
const NO_RELAY = 'data-relay=""'
const NAMING_RELAY = new Set(['/', '/index.html', '/sw.js'])

export interface OwnApp {
  readonly url: string
  stop(): Promise<void>
}

export async function startOwnApp(files: AppFiles, { relay, port }: OwnAppSettings): Promise<OwnApp> {
  const place = `${HOST}:${port}`
  const served: ServedApp = {
    files: new Map([...files].map(([path, file]) => [path, NAMING_RELAY.has(path) ? naming(relay, file) : file])),
    hosts: new Set([place]),
    relay: [relay, relay.replace(/^http/, 'ws')],
  }
  const server = createServer((request, response) => answer(request, response, { served, place }))
  const listening = once(server, 'listening')
  server.listen({ host: HOST, port })
  await listening.catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? portFault(port) : error
  })
  return { url: `http://${place}/`, stop: () => stop(server) }
}

const portFault = (port: number): CodedError =>
  new CodedError('bad-field', {
    field: '--port',
    rule: `port ${port} is in use. If "postern app" is already running, open http://${HOST}:${port}/. Otherwise end the other program: on another port the app does not find your account`,
  })

/** The compressed copies are of the file without a relay. */
function naming(relay: string, file: AppFile): AppFile {
  const text = Buffer.from(file.plain).toString('utf8')
  return {
    ...file,
    // Browsers compare tags: a page that names another relay is another page.
    etag: `${file.etag}-${relay.replaceAll(/[^a-z0-9.]/g, '-')}`,
    plain: Buffer.from(text.replace(NO_RELAY, `data-relay="${relay}"`)),
    packed: {},
  }
}

type Served = { served: ServedApp; place: string }

function answer(request: IncomingMessage, response: ServerResponse, { served, place }: Served): void {
  const { host, method } = { host: request.headers.host ?? '', method: request.method }
  // Browsers store data by the host: under another name the app would not find the account.
  if (host === place.replace(HOST, 'localhost'))
    return void response.writeHead(307, { Location: `http://${place}${request.url}` }).end()
  // Another site can let its name lead to this machine.
  if (host !== place) return refuse(response, 421, 'This server answers only at its own address.')
  if ((method === 'GET' || method === 'HEAD') && serveApp(served, request, response)) return
  refuse(response, 404, 'There is nothing at this address.')
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' }).end(`${sentence}\n`)
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
