// The servers for the contracts of blobs and sockets: a relay with blobs to write to, and servers that answer frames.
import type { AddressInfo } from 'node:net'
import { wireLimits } from '@postern/protocol'
import { freePort, type TestPerson, type World } from '@postern/testkit'
import { WebSocketServer } from 'ws'
import type { UploadTicket } from '../../src/files/transport/blob-transport.ts'

const TICKETS = 16
const BLOB_BYTES_MAX = 4_000_000
const LEAVES_WITH = 4001

/** The form in which a worker receives them. */
export type Surroundings = { tickets: UploadTicket[]; echoUrl: string; hugeUrl: string; lostUrl: string }

export class ContractServers {
  readonly surroundings: Surroundings
  readonly #servers: WebSocketServer[]

  private constructor(surroundings: Surroundings, servers: WebSocketServer[]) {
    this.surroundings = surroundings
    this.#servers = servers
  }

  static async start(world: World): Promise<ContractServers> {
    const [echo, huge] = [
      new WebSocketServer({ host: '127.0.0.1', port: 0 }),
      new WebSocketServer({ host: '127.0.0.1', port: 0 }),
    ]
    echo.on('connection', socket => {
      socket.send(Uint8Array.of(0))
      socket.on('message', (frame: Buffer) => (frame[0] === 255 ? socket.close(LEAVES_WITH) : socket.send(frame)))
    })
    huge.on('connection', socket => {
      socket.on('error', () => undefined)
      socket.send(new Uint8Array(wireLimits.frameBytesMax + 1))
    })
    const surroundings = {
      tickets: await ticketsOf(await world.person('uploader')),
      echoUrl: urlOf(echo),
      hugeUrl: urlOf(huge),
      lostUrl: `ws://127.0.0.1:${await freePort()}`,
    }
    return new ContractServers(surroundings, [echo, huge])
  }

  stop(): void {
    for (const server of this.#servers) {
      for (const socket of server.clients) socket.terminate()
      server.close()
    }
  }
}

const urlOf = (server: WebSocketServer): string => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`

async function ticketsOf(person: TestPerson): Promise<UploadTicket[]> {
  const tickets: UploadTicket[] = []
  for (let count = 0; count < TICKETS; count++)
    tickets.push(await person.client['core'].link.call('beginBlob', { size: BLOB_BYTES_MAX }))
  return tickets
}
