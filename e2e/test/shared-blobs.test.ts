// Two relays on one database and one object store: bob fetches through one the files that alice sends through the other.
import { createHash, randomBytes } from 'node:crypto'
import { blobPlaceIn } from '@postern/relay'
import { type TestPerson, WITHIN, World } from '@postern/testkit'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { S3Server } from '@postern/testkit/s3'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { expect, onTestFinished, test } from 'vitest'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Two relays with one store of objects are not tried.`)

async function twoRelays(): Promise<{ world: World; otherUrl: string; server: S3Server }> {
  const server = await S3Server.start()
  onTestFinished(() => server.stop())
  const relayDatabase = await newDatabase()
  onTestFinished(() => forgetDatabase(relayDatabase))
  const world = await World.start({ relayDatabase, relayBlobs: blobPlaceIn(server.address(), server.environment) })
  onTestFinished(() => world.stop())
  return { world, otherUrl: await world.startOtherRelay(), server }
}

async function sendPhoto(from: TestPerson, to: TestPerson, bytes: Uint8Array): Promise<void> {
  const source = async function* () {
    yield bytes
  }
  const draft = await from.client.files.draft(source())
  try {
    const file = { draft, name: 'photo.bin', type: 'application/octet-stream', kind: 'file' as const }
    await from.client.files.send(to.chatId, file, WITHIN)
  } finally {
    await draft.discard()
  }
}

async function digestOfNext(reader: TestPerson, from: TestPerson): Promise<string> {
  const { message } = await reader.next('message', event => event.message.file !== undefined)
  const file = await reader.client.files.open(from.chatId, message.id, WITHIN)
  const hash = createHash('sha256')
  for await (const bytes of file.read()) hash.update(bytes)
  return hash.digest('hex')
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test.skipIf(isMissing)(
  '[RELAY-8.2] a photo that alice sends through one relay is fetched by bob through the other',
  async () => {
    const { world, otherUrl, server } = await twoRelays()
    const alice = await world.person('alice')
    const bob = await world.person('bob', { relayUrl: otherUrl })
    for (const size of [300_000, 11_000_000]) {
      const photo = randomBytes(size)
      await sendPhoto(alice, bob, photo)
      expect(await digestOfNext(bob, alice)).toBe(sha256(photo))
      await sendPhoto(bob, alice, photo)
      expect(await digestOfNext(alice, bob)).toBe(sha256(photo))
    }
    expect(server.store.objects.size).toBe(4)
    expect(server.store.uploads.size).toBe(0)
  },
)
