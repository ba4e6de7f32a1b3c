// A relay that serves wrong bytes, or none, or redirects a client: nobody sees a wrong byte.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Message } from '@postern/bot-api/objects'
import { connectNodeBlobs } from '@postern/core/node'
import { clientLimits, isCoded, type MessageId } from '@postern/protocol'
import { ManualClock, passTime, passWhenAwaited, type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { expect, onTestFinished } from 'vitest'

const FILE_BYTES = 700_000

type Answer = (response: ServerResponse, honest: { bytes: Buffer; headers: Record<string, string> }) => void

const honestly: Answer = (response, { bytes, headers }) => void response.writeHead(200, headers).end(bytes)

/** In front of the real relay, for blobs alone: the test controls its answers. */
class BlobServer {
  readonly #server = createServer((request, response) => this.#take(request, response))
  readonly #relayUrl: string
  answer: Answer = honestly
  /** Requested paths, with their method. */
  readonly asked: string[] = []
  /** Replaces every answer. */
  instead: RequestListener | undefined

  constructor(relayUrl: string) {
    this.#relayUrl = relayUrl
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    onTestFinished(() => {
      this.#server.closeAllConnections()
      this.#server.close()
    })
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  readonly connect = () => connectNodeBlobs(this.url)

  readonly #take: RequestListener = async (request, response) => {
    this.asked.push(`${request.method} ${request.url}`)
    if (this.instead) return this.instead(request, response)
    const real = await fetch(new URL(request.url ?? '', this.#relayUrl))
    const bytes = Buffer.from(await real.arrayBuffer())
    this.answer(response, { bytes, headers: { 'content-length': String(bytes.length) } })
  }
}

let pairs = 0

async function sendFile(from: TestPerson, to: TestPerson, bytes: Uint8Array): Promise<Message> {
  const source = async function* () {
    yield bytes
  }
  const draft = await from.client.files.draft(source())
  try {
    const file = { draft, name: 'a.bin', type: 'application/octet-stream', kind: 'file' as const }
    return await from.client.files.send(to.chatId, file, WITHIN)
  } finally {
    await draft.discard()
  }
}

async function fetched(bob: TestPerson, alice: TestPerson, message: MessageId): Promise<Buffer> {
  const file = await bob.client.files.open(alice.chatId, message, WITHIN)
  const parts: Uint8Array[] = []
  for await (const part of file.read()) parts.push(part)
  return Buffer.concat(parts)
}

const keptBy = (person: TestPerson): string[] => readdirSync(join(person.directory, 'files'))

function spoilt(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] as number) ^ 1
  return copy
}

function endlessly(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    response.once('drain', more)
  }
  more()
}

const sealed = 256 * 1024 + 16
const damaging: Record<string, Answer> = {
  'a first byte that is another': (response, { bytes, headers }) =>
    response.writeHead(200, headers).end(spoilt(bytes, 0)),
  'a last byte that is another': (response, { bytes, headers }) =>
    response.writeHead(200, headers).end(spoilt(bytes, bytes.length - 1)),
  'a byte in the middle that is another': (response, { bytes, headers }) =>
    response.writeHead(200, headers).end(spoilt(bytes, 400_000)),
  'chunks in another order': (response, { bytes, headers }) => {
    const swapped = [bytes.subarray(sealed, 2 * sealed), bytes.subarray(0, sealed), bytes.subarray(2 * sealed)]
    response.writeHead(200, headers).end(Buffer.concat(swapped))
  },
  'its end cut off': (response, { bytes }) => response.end(bytes.subarray(0, -1)),
  'its last chunk left out': (response, { bytes }) => response.end(bytes.subarray(0, 2 * sealed)),
  'a byte more': (response, { bytes }) => response.end(Buffer.concat([bytes, Buffer.alloc(1)])),
  'nothing in it': response => response.end(),
  'no end': endlessly,
}

const test = base
  /** Bob has the messages about two files of alice, and fetches them from a relay that the test controls. */
  .extend('sentFiles', ({ world }) => async ({ clock }: { clock?: ManualClock } = {}) => {
    const relay = await new BlobServer(world.relayUrl).start()
    const number = ++pairs
    const alice = await world.person(`alice ${number}`)
    const bob = await world.person(`bob ${number}`, { connectBlobs: relay.connect, ...(clock && { clock }) })
    const files = [randomBytes(FILE_BYTES), randomBytes(FILE_BYTES)] as const
    const ids: MessageId[] = []
    for (const bytes of files) ids.push((await sendFile(alice, bob, bytes)).id)
    await bob.next('message', ({ message }) => message.id === ids[1])
    return { alice, bob, relay, files, ids: ids as [MessageId, MessageId] }
  })

test.for(Object.entries(damaging))(
  '[CORE-13.9] a blob with %s is damaged, kept nowhere, and had when it is served right',
  async ([_what, answer], { sentFiles }) => {
    const { alice, bob, relay, files, ids } = await sentFiles()
    relay.answer = answer
    await expect(fetched(bob, alice, ids[0])).rejects.toSatisfy(error => isCoded(error, 'file-damaged'))
    expect(keptBy(bob)).toEqual([])
    expect(relay.asked, 'asked once').toHaveLength(1)
    relay.answer = honestly
    expect(await fetched(bob, alice, ids[0])).toEqual(files[0])
  },
)

test('[CORE-13.9] the blob of another file is damaged', async ({ world, sentFiles }) => {
  const { alice, bob, relay, files, ids } = await sentFiles()
  expect(await fetched(bob, alice, ids[1])).toEqual(files[1])
  const other = relay.asked[0]?.split(' ')[1] ?? ''
  const swapped = Buffer.from(await (await fetch(new URL(other, world.relayUrl))).arrayBuffer())
  relay.answer = (response, { headers }) => response.writeHead(200, headers).end(swapped)
  await expect(fetched(bob, alice, ids[0])).rejects.toSatisfy(error => isCoded(error, 'file-damaged'))
  relay.answer = honestly
  expect(await fetched(bob, alice, ids[0])).toEqual(files[0])
})

/** Each answer starts again, and breaks off before it is of any use. */
const teasing: Record<string, Answer> = {
  'promised again and again': (response, { headers }) => {
    response.writeHead(200, headers).flushHeaders()
    setImmediate(() => response.destroy())
  },
  'begun again and again': (response, { headers, bytes }) => {
    response.writeHead(200, headers).write(bytes.subarray(0, 1), () => response.destroy())
  },
}

test.for(Object.entries(teasing))(
  '[CORE-13.17] a blob that is %s is given up in the end',
  async ([_what, answer], { sentFiles }) => {
    const clock = new ManualClock(Date.now())
    const { alice, bob, relay, files, ids } = await sentFiles({ clock })
    relay.answer = answer
    const opening = bob.client.files.open(alice.chatId, ids[0], WITHIN)
    opening.catch(() => undefined)
    const askedAgain = async () => await expect.poll(() => relay.asked.length).toBe(2)
    await passWhenAwaited(clock, clientLimits.fileRetryFirstMs, askedAgain())
    await expect(passTime(clock, opening)).rejects.toSatisfy(error => isCoded(error, 'relay-unreachable'))
    await expect.poll(() => keptBy(bob)).toEqual([])
    relay.answer = honestly
    expect(await fetched(bob, alice, ids[0])).toEqual(files[0])
  },
)

test('[CORE-13.16] a file whose message is deleted while it is fetched is not kept', async ({ sentFiles }) => {
  const { alice, bob, relay, ids } = await sentFiles()
  const { promise: deleted, resolve } = Promise.withResolvers<void>()
  relay.answer = (response, honest) => void deleted.then(() => honestly(response, honest))
  const fetching = fetched(bob, alice, ids[0]).catch(() => undefined)
  await expect.poll(() => relay.asked.length).toBe(1)
  await alice.client.messages.delete(bob.chatId, { message: ids[0], for: 'all' }, WITHIN)
  await bob.next('deleted')
  resolve()
  await fetching
  await expect.poll(() => keptBy(bob)).toEqual([])
})

test('[CORE-13.9] one that is said to be gone is gone, until it is there', async ({ sentFiles }) => {
  const { alice, bob, relay, files, ids } = await sentFiles()
  relay.answer = response => response.writeHead(404).end()
  await expect(fetched(bob, alice, ids[0])).rejects.toSatisfy(error => isCoded(error, 'file-gone'))
  relay.answer = honestly
  expect(await fetched(bob, alice, ids[0])).toEqual(files[0])
})

test.for([301, 302, 307, 308])(
  '[CORE-22.9] a redirect with status %i is not followed, down or up',
  async (status, { world, sentFiles }) => {
    const { alice, bob, relay, ids } = await sentFiles()
    const elsewhere = await new BlobServer(world.relayUrl).start()
    relay.instead = (request, response) =>
      void response.writeHead(status, { location: new URL(request.url ?? '', elsewhere.url).href }).end()
    await expect(fetched(bob, alice, ids[0])).rejects.toSatisfy(error => isCoded(error, 'relay-broken'))
    await expect(sendFile(bob, alice, randomBytes(FILE_BYTES))).rejects.toSatisfy(error =>
      isCoded(error, 'relay-broken'),
    )
    expect(elsewhere.asked).toEqual([])
    expect(keptBy(bob)).toEqual([])
  },
)

const lies = { 'more than was sent': '999999999', 'no number': 'much', 'less than nothing': '-1' }

test.for(Object.entries(lies))(
  '[CORE-13.7] an upload of which the relay says that it has %s is given up, and nothing is sent',
  async ([_what, offset], { sentFiles }) => {
    const { alice, bob, relay } = await sentFiles()
    relay.instead = (request, response) => {
      request
        .resume()
        .on('end', () => response.writeHead(204, { 'upload-offset': offset, 'upload-complete': '?1' }).end())
    }
    await expect(sendFile(bob, alice, randomBytes(FILE_BYTES))).rejects.toSatisfy(error =>
      isCoded(error, 'relay-broken'),
    )
    expect(keptBy(bob)).toEqual([])
    expect(bob.client.messages.list(alice.chatId, { limit: 10 })).toHaveLength(2)
  },
)
