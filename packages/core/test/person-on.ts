// A person on a database that the test controls: to limit it, to make it fail, to inspect it.
import { join } from 'node:path'
import { makeNodeProvider } from '@postern/mls/node'
import { type Clock, guardedClock, type Log, silentLog, systemClock } from '@postern/protocol'
import { TestPerson, Wire, type World } from '@postern/testkit'
import { openClient } from '../src/client/open-client.ts'
import { nodeFileCipher } from '../src/files/cipher/file-cipher-node.ts'
import { connectNodeBlobs } from '../src/files/transport/blob-transport-node.ts'
import { openNodeFileVault } from '../src/files/vault/file-vault-node.ts'
import type { Database } from '../src/storage/database.ts'
import { Store } from '../src/storage/transactions/store.ts'

type Place = { name: string; directory: string; database: Database; clock?: Clock; log?: Log }

/** The caller stops its client. */
export async function personOn(world: World, place: Place): Promise<TestPerson> {
  const { name, directory, database, clock = systemClock, log = silentLog } = place
  const wire = new Wire()
  const client = await openClient({
    store: new Store(database, setImmediate, { clock, log }),
    provider: makeNodeProvider(),
    clock: guardedClock(clock, log),
    log,
    connect: wire.connect,
    connectBlobs: connectNodeBlobs,
    fileCipher: nodeFileCipher,
    vault: await openNodeFileVault({ directory: join(directory, 'files'), bytesMax: 1e9, clock }),
    jitter: () => 0,
    acceptRequests: 'all',
    reportsAll: false,
    firstStart: () => ({ relayUrl: world.relayUrl, name, bot: false }),
  })
  client.start()
  return new TestPerson({ name, client, wire, directory })
}
