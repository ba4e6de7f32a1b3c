// The core's parts for Node keep the same contracts as those for a browser.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wakeNextTurn } from '@postern/protocol/node'
import { ManualClock, World } from '@postern/testkit'
import { afterAll, beforeAll } from 'vitest'
import { nodeFileCipher } from '../../src/files/cipher/file-cipher-node.ts'
import { connectNodeBlobs } from '../../src/files/transport/blob-transport-node.ts'
import { openNodeFileVault } from '../../src/files/vault/file-vault-node.ts'
import { connectNodeSocket } from '../../src/relay-link/socket-node.ts'
import { openSqlite } from '../../src/storage/sqlite/sqlite-node.ts'
import { describeBlobTransport } from './blob-transport.contract.ts'
import { describeDatabase } from './database.contract.ts'
import { describeFileCipher } from './file-cipher.contract.ts'
import { describeFileVault } from './file-vault.contract.ts'
import { describeRelaySocket } from './relay-socket.contract.ts'
import { ContractServers } from './surroundings.ts'
import { describeTurnEnd } from './turn-end.contract.ts'

const KEY = new Uint8Array(32).fill(3)
const root = mkdtempSync(join(tmpdir(), 'platform-'))
let places = 0
let world: World
let servers: ContractServers
const newPlace = () => join(root, String(places++))

beforeAll(async () => {
  world = await World.start()
  servers = await ContractServers.start(world)
})
afterAll(async () => {
  servers.stop()
  await world.stop()
  rmSync(root, { recursive: true, force: true })
})

describeDatabase('in Node', () => {
  const path = newPlace()
  return async (key = KEY) => openSqlite(path, key)
})

describeFileCipher('in Node', nodeFileCipher)

describeFileVault('in Node', () => {
  const [directory, clock] = [newPlace(), new ManualClock()]
  return {
    open: ({ bytesMax, freeBytes }) =>
      openNodeFileVault({ directory, bytesMax, clock, ...(freeBytes && { diskFreeBytes: freeBytes }) }),
    tick: () => clock.advance(1000),
    fileCount: async () => readdirSync(directory).length,
  }
})

describeBlobTransport('in Node', () => ({
  transport: connectNodeBlobs(world.relayUrl),
  lost: connectNodeBlobs(servers.surroundings.lostUrl.replace('ws', 'http')),
  ticket: () => servers.surroundings.tickets.pop()!,
}))

describeRelaySocket('in Node', () => ({ ...servers.surroundings, connect: connectNodeSocket }))

describeTurnEnd('in Node', () => ({ afterTurn: wakeNextTurn, inTask: wakeNextTurn }))
