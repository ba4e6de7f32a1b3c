// The contracts of the core's parts in a browser's worker.
import { answerContracts } from '@postern/testkit/browser-worker'
import { browserFileCipher } from '../../src/files/cipher/file-cipher-browser.ts'
import { connectBrowserBlobs } from '../../src/files/transport/blob-transport-browser.ts'
import { openBrowserFileVault } from '../../src/files/vault/file-vault-browser.ts'
import { deferToNextTurn } from '../../src/platform-browser.ts'
import { connectBrowserSocket } from '../../src/relay-link/socket-browser.ts'
import { openFolder } from '../../src/storage/sqlite/opfs-browser.ts'
import { openPooledSqlite } from '../../src/storage/sqlite/sqlite-browser.ts'
import { openSqlitePool } from '../../src/storage/sqlite/sqlite-pool-browser.ts'
import { describeBlobTransport } from './blob-transport.contract.ts'
import { describeDatabase } from './database.contract.ts'
import { describeFileCipher } from './file-cipher.contract.ts'
import { describeFileVault } from './file-vault.contract.ts'
import { describeRelaySocket } from './relay-socket.contract.ts'
import type { Surroundings } from './surroundings.ts'
import { describeTurnEnd } from './turn-end.contract.ts'

const KEY = new Uint8Array(32).fill(3)
let places = 0
let around: Surroundings | undefined
const newPlace = () => `place-${places++}`

function surroundings(): Surroundings {
  if (!around) throw new Error('the worker was told of no surroundings')
  return around
}

describeDatabase('in Chromium', () => {
  const folder = newPlace()
  return async (key = KEY) => {
    const pool = await openSqlitePool(folder)
    try {
      return openPooledSqlite(pool, key)
    } catch (error) {
      pool.close()
      throw error
    }
  }
})

describeFileCipher('in Chromium', browserFileCipher)

describeFileVault('in Chromium', () => {
  const folder = newPlace()
  return {
    open: options => openBrowserFileVault({ folder, ...options }),
    tick: () => undefined,
    fileCount: async () => {
      const names = await Array.fromAsync((await openFolder(folder)).keys())
      return names.filter(name => name !== 'order').length
    },
  }
})

describeBlobTransport('in Chromium', () => {
  const { tickets, lostUrl } = surroundings()
  const ticket = () => {
    const next = tickets.pop()
    if (!next) throw new Error('no ticket is left')
    return next
  }
  return { transport: connectBrowserBlobs(location.origin), lost: connectBrowserBlobs(lostUrl), ticket }
})

describeRelaySocket('in Chromium', () => ({ ...surroundings(), connect: connectBrowserSocket }))

const afterTurn = deferToNextTurn()
const inTask = deferToNextTurn()
describeTurnEnd('in Chromium', () => ({ afterTurn, inTask }))

answerContracts({
  surround: (given: Surroundings) => {
    around = given
  },
})
