// A push service on this machine, for the relay and for Firefox: accepts pushes over HTTP, and passes them to the browser
// over the protocol of Mozilla's service.
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A push as the relay has sent it. */
export type AcceptedPush = { path: string; headers: IncomingMessage['headers']; body: Buffer; atMs: number }

type Told = { messageType?: string; channelID?: string }

export class FirefoxPushService {
  readonly #server: Server
  readonly #sockets: WebSocketServer
  /** The connection of the browser that registered a channel. */
  readonly #browsers = new Map<string, WebSocket>()
  readonly accepted: AcceptedPush[] = []
  /** The last push of a channel, which the service may send again. */
  readonly #last = new Map<string, string>()

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#accept(request, response).catch((error: unknown) => response.destroy(error as Error))
    })
    // Firefox names a protocol, and closes a connection that does not accept it.
    this.#sockets = new WebSocketServer({ server: this.#server, handleProtocols: ([first]) => first ?? false })
    this.#sockets.on('connection', socket =>
      socket.on('message', (data: Buffer) => this.#answer(socket, JSON.parse(data.toString()) as Told)),
    )
  }

  static async start(): Promise<FirefoxPushService> {
    const service = new FirefoxPushService()
    service.#server.listen(0, '127.0.0.1')
    await once(service.#server, 'listening')
    return service
  }

  /** As it is listed for the relay. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Preferences of a Firefox that uses this service, and shows notifications without a question. */
  get firefoxPreferences(): Record<string, string | number | boolean> {
    return {
      'dom.push.enabled': true,
      'dom.push.connection.enabled': true,
      'dom.push.serverURL': this.origin.replace('http', 'ws'),
      'dom.push.testing.allowInsecureServerURL': true,
      'dom.push.testing.ignorePermission': true,
      'dom.webnotifications.enabled': true,
      'permissions.default.desktop-notification': 1,
      // Firefox draws them itself: a machine for tests has nothing that would.
      'alerts.useSystemBackend': false,
      'alerts.totalOpenTime': 600_000,
    }
  }

  /** Delivers the last push of every channel again. */
  replay(): void {
    for (const [channel, data] of this.#last) this.#deliver(channel, data)
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#sockets.close()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const path = request.url ?? ''
    this.accepted.push({ path, headers: request.headers, body, atMs: performance.now() })
    const channel = path.split('/').at(-1) ?? ''
    this.#last.set(channel, body.toString('base64url'))
    this.#deliver(channel, body.toString('base64url'))
    response.writeHead(201, { location: `${this.origin}/m/1`, ttl: '60' }).end()
  }

  #deliver(channelID: string, data: string): void {
    const notification = { messageType: 'notification', channelID, version: randomUUID(), data }
    const headers = { encoding: 'aes128gcm' }
    this.#browsers.get(channelID)?.send(JSON.stringify({ ...notification, headers, ttl: 60 }))
  }

  #answer(socket: WebSocket, { messageType, channelID = '' }: Told): void {
    const tell = (answer: object) => socket.send(JSON.stringify(answer))
    // A ping.
    if (messageType === undefined) return tell({})
    const answer = { messageType, status: 200 }
    if (messageType === 'hello') {
      tell({ ...answer, uaid: randomBytes(16).toString('hex'), use_webpush: true, broadcasts: {} })
    } else if (messageType === 'register') {
      this.#browsers.set(channelID, socket)
      tell({ ...answer, channelID, pushEndpoint: `${this.origin}/wpush/${channelID}` })
    } else if (messageType === 'unregister') {
      this.#browsers.delete(channelID)
      tell({ ...answer, channelID })
    }
  }
}
