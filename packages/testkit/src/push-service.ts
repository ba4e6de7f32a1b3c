// A push service for tests, with browsers that subscribe at it: it can refuse, hang, redirect and answer without end.
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Notifier } from '@postern/protocol'

/** The content of a push, as the service worker reads it. */
export type PushContent = {
  v: number
  group: string
  count: number
  attention: 'message' | 'mention'
  sender: string
  message?: string
  ts: number
  preview?: string
}
export type ReceivedPush = { path: string; headers: IncomingMessage['headers']; body: Buffer }
/** `hang`: no answer. `endless`: an answer whose body does not end. */
export type PushReply = { status: number; headers?: Record<string, string> } | 'hang' | 'endless'

const derived = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** The part of a browser that subscribes and opens what comes. */
export class PushBrowser {
  readonly endpoint: string
  readonly p256dh: Uint8Array
  readonly auth = new Uint8Array(randomBytes(16))
  readonly #key = createECDH('prime256v1')

  constructor(endpoint: string) {
    this.endpoint = endpoint
    this.p256dh = new Uint8Array(this.#key.generateKeys())
  }

  /** For the call `setPush`. */
  get subscription() {
    return { endpoint: this.endpoint, p256dh: this.p256dh, auth: this.auth, muted: [] }
  }

  open({ body }: ReceivedPush): PushContent {
    const [salt, theirs, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.p256dh, theirs])
    const secret = derived(this.#key.computeSecret(theirs), this.auth, info, 32)
    const key = derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16)
    const nonce = derived(secret, salt, 'Content-Encoding: nonce\0', 12)
    const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16))
    const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString()) as PushContent
  }
}

export class PushService {
  readonly received: ReceivedPush[] = []
  /** Asked for every push. */
  reply: (push: ReceivedPush) => PushReply | Promise<PushReply> = () => ({ status: 201 })
  readonly #news = new Notifier()
  readonly #server: Server
  #subscribed = 0

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  static async start(port = 0): Promise<PushService> {
    const service = new PushService()
    service.#server.listen(port, '127.0.0.1')
    await once(service.#server, 'listening')
    return service
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** As an operator names it in `--push-hosts`. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  subscribe(): PushBrowser {
    this.#subscribed += 1
    return new PushBrowser(`${this.origin}/push/${this.#subscribed}`)
  }

  /** The pushes to one browser, when this many have arrived. */
  async receivedBy({ endpoint }: PushBrowser, count: number): Promise<ReceivedPush[]> {
    const own = (): ReceivedPush[] => this.received.filter(({ path }) => endpoint.endsWith(path))
    while (own().length < count) await this.#news.next()
    return own()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const push = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces) }
    this.received.push(push)
    const replying = this.reply(push)
    this.#news.notify()
    const reply = await replying
    if (reply === 'hang') return
    if (reply !== 'endless') return void response.writeHead(reply.status, reply.headers).end()
    response.writeHead(201)
    const pour = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384)));
    }
    response.on('drain', pour)
    pour()
  }
}
