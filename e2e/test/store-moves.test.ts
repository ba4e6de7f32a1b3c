// A relay whose rows are moved to PostgreSQL and back while people use it: they notice nothing.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Message } from '@postern/bot-api/objects'
import type { ChatId } from '@postern/protocol'
import { runRelay } from '@postern/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, isOnPostgres, newDatabase } from '@postern/testkit/test-databases'
import { expect } from 'vitest'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Moves to one are not tried.`)

const test = base.extend('database', async ({ world }, { onCleanup }) => {
  const address = await newDatabase()
  // After the relay that may still use it.
  onCleanup(async () => {
    await world.stopRelay()
    await forgetDatabase(address)
  })
  return address
})

async function sendFile(from: TestPerson, chat: ChatId, bytes: Uint8Array): Promise<Message> {
  const draft = await from.client.files.draft(piecesOf(bytes))
  try {
    const details = { name: 'notes.bin', type: 'application/octet-stream', kind: 'file' } as const
    return await from.client.files.send(chat, { draft, ...details }, WITHIN)
  } finally {
    await draft.discard()
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function bytesOf(person: TestPerson, chat: ChatId, message: Message): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of (await person.client.files.open(chat, message.id, WITHIN)).read())
    pieces.push(piece.slice())
  return Buffer.concat(pieces)
}

test.skipIf(isMissing || isOnPostgres())(
  '[RELAY-9.1] people go on with what they have: nothing is lost or told twice, on PostgreSQL and back on SQLite',
  async ({ world, database, alice, bob, carol }) => {
    const data = join(world.directory, 'relay')
    const group = (await alice.client.chats.createGroup({ name: 'all', members: [bob.id, carol.id] }, WITHIN)).id
    await alice.say(bob, 'one')
    await bob.hears('one')
    const bytes = randomBytes(700_000)
    await world.close(bob)
    const sent = await sendFile(alice, bob.chatId, bytes)
    for (const text of ['two', 'three']) await alice.say(bob, text)
    await carol.say(group, 'to all')
    await alice.hears('to all')

    await world.stopRelay()
    expect(await runRelay(['move', '--data', data, '--to', database], {})).toBe(0)
    await world.startRelay({ database })
    const woken = await world.person('bob')
    await woken.hears('three')
    await woken.hears('to all')
    expect(woken.texts(alice)).toEqual(['one', '', 'two', 'three'])
    expect(await bytesOf(woken, alice.chatId, sent)).toEqual(bytes)
    await alice.online()
    await carol.online()
    await woken.say(group, 'heard')
    await alice.hears('heard')
    await carol.hears('heard')
    await world.close(woken)
    await alice.say(bob, 'four')

    await world.stopRelay()
    expect(await runRelay(['move', '--data', data, '--from', database], {})).toBe(0)
    await world.startRelay()
    const again = await world.person('bob')
    await again.hears('four')
    expect(again.texts(alice)).toEqual(['one', '', 'two', 'three', 'four'])
    expect(again.texts(group)).toEqual(['to all', 'heard'])
    await alice.online()
    await again.say(alice, 'five')
    await alice.hears('five')
    expect(alice.texts(bob)).toEqual(['one', '', 'two', 'three', 'four', 'five'])
  },
)
