// Messages with a file: what the others see and receive, and what is left when they are gone.
import { messageIdOf } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, isCoded } from '@postern/protocol'
import { passTime, passWhenAwaited, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import type { NewFile } from '../src/outbox/send-file.ts'
import { left, NOTHING, piecesOf, randomFile, relayFiles, uploadRows, vaultFiles, wholeOf } from './files-world.ts'

type Details = Omit<NewFile, 'draft'>
const PLAIN: Details = { name: 'notes.bin', type: 'application/octet-stream', kind: 'file' }

type Sending = { details?: Partial<Details>; key?: string }

async function fileOf(person: TestPerson, chat: ChatId, message: Message): Promise<Buffer> {
  return await wholeOf((await person.client.files.open(chat, message.id, WITHIN)).read())
}

const test = base.extend(
  'sendFile',
  ({ alice }) =>
    async (to: ChatId, bytes: Uint8Array, { details, key }: Sending = {}): Promise<Message> => {
      const draft = await alice.client.files.draft(piecesOf(bytes), key === undefined ? {} : { idempotencyKey: key })
      const once = key === undefined ? {} : { idempotency: { key, request: await draft.plainDigest() } }
      try {
        return await alice.client.files.send(to, { draft, ...PLAIN, ...details }, { ...WITHIN, ...once })
      } finally {
        await draft.discard()
      }
    },
)

/** Two pixels. */
const PREVIEW = 'data:image/webp;base64,UklGRjAAAABXRUJQVlA4ICQAAACQAQCdASoCAAEADMDOJaACdLoAA5gA/rZX6+AKeqOtC0HwAAA='

test('[CORE-7.1] a file arrives with all that is said of it, and with exactly its bytes', async ({
  alice,
  bob,
  sendFile,
}) => {
  const bytes = randomFile(700_000)
  const said = await alice.say(bob, 'look')
  await bob.hears('look')
  const details = {
    name: 'рисунок.webp',
    type: 'image/webp',
    kind: 'photo' as const,
    width: 20,
    height: 10,
    preview: PREVIEW,
    text: 'there',
    replyTo: said.id,
  }
  const sent = await sendFile(bob.chatId, bytes, { details })
  const { text, replyTo, ...file } = details
  const heard = (await bob.next('message', event => event.message.id === sent.id)).message
  for (const message of [sent, heard])
    expect(message).toMatchObject({ text, reply_to: replyTo, file: { ...file, size: bytes.length } })
  expect(await fileOf(bob, alice.chatId, heard)).toEqual(Buffer.from(bytes))
  expect(await fileOf(alice, bob.chatId, sent)).toEqual(Buffer.from(bytes))
  const opened = await bob.client.files.open(alice.chatId, heard.id, WITHIN)
  expect(await wholeOf(opened.read({ start: 262_140, end: 262_150 }))).toEqual(
    Buffer.from(bytes.subarray(262_140, 262_151)),
  )
  await expect(bob.client.files.open(alice.chatId, said.id, WITHIN)).rejects.toSatisfy(error =>
    isCoded(error, 'no-file'),
  )
})

test('[CORE-7.2] a caption is edited, and taken away', async ({ alice, bob, sendFile }) => {
  const sent = await sendFile(bob.chatId, randomFile(10), { details: { text: 'old' } })
  await bob.next('message', event => event.message.id === sent.id)
  const edit = (text: string) => alice.client.messages.edit(bob.chatId, { message: sent.id, text }, WITHIN)
  expect(await edit('new')).toMatchObject({ text: 'new', file: { size: 10 } })
  expect((await bob.next('edited')).message).toMatchObject({ text: 'new', file: { size: 10 } })
  expect(await edit('')).not.toHaveProperty('text')
  expect((await bob.next('edited')).message).not.toHaveProperty('text')
  const plain = await alice.say(bob, 'words')
  await expect(alice.client.messages.edit(bob.chatId, { message: plain.id, text: '' }, WITHIN)).rejects.toSatisfy(
    error => isCoded(error, 'bad-field'),
  )
})

test('[CORE-7.3] deleted for everyone, it is gone at the relay and on every side; deleted here, only here', async ({
  world,
  alice,
  bob,
  sendFile,
}) => {
  const kept = await sendFile(bob.chatId, randomFile(1000))
  const gone = await sendFile(bob.chatId, randomFile(2000))
  await bob.next('message', event => event.message.id === gone.id)
  await fileOf(bob, alice.chatId, gone)
  const counts = () => [relayFiles(world), vaultFiles(alice), vaultFiles(bob)].map(files => files.length)
  expect(counts()).toEqual([2, 2, 1])

  await alice.client.messages.delete(bob.chatId, { message: gone.id, for: 'all' }, WITHIN)
  await bob.next('deleted')
  await expect.poll(counts).toEqual([1, 1, 0])
  await alice.client.messages.delete(bob.chatId, { message: kept.id, for: 'me' }, WITHIN)
  await expect.poll(() => vaultFiles(alice)).toEqual([])
  expect(await fileOf(bob, alice.chatId, kept)).toHaveLength(1000)
})

test('[CORE-7.4] a file whose message is not sent leaves nothing', async ({ world, alice, bob, sendFile }) => {
  const nowhere = bob.chatId.replace(/^./, letter => (letter === 'a' ? 'b' : 'a')) as ChatId
  await expect(sendFile(nowhere, randomFile(600_000))).rejects.toSatisfy(error => isCoded(error, 'account-not-found'))
  const absent = { replyTo: messageIdOf('a'.repeat(32)) }
  await expect(sendFile(bob.chatId, randomFile(600_000), { details: absent })).rejects.toSatisfy(error =>
    isCoded(error, 'bad-field'),
  )
  await expect.poll(() => left(world, alice)).toEqual(NOTHING)
})

test('[CORE-7.4] what is in doubt is kept until it is known, and then has its file', async ({ clock, world, bob }) => {
  const carol = await world.person('carol', { clock })
  await carol.say(bob, 'first')
  let isLost = false
  carol.wire.outgoing = frame => {
    // The message itself, the only large frame, is the last that passes: its answer never comes.
    if (isLost || frame.length < 500) return isLost ? [] : [frame]
    isLost = true
    queueMicrotask(() => carol.wire.cut())
    return [frame]
  }
  const draft = await carol.client.files.draft(piecesOf(randomFile(5000)))
  const sending = carol.client.files.send(bob.chatId, { draft, ...PLAIN }, { timeoutMs: 300 })
  await expect(passWhenAwaited(clock, 300, sending)).rejects.toSatisfy(error => isCoded(error, 'send-in-doubt'))
  await draft.discard()
  expect(uploadRows(carol)).toHaveLength(1)
  carol.wire.outgoing = frame => [frame]
  carol.wire.mend()
  await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
  const heard = (await bob.next('message', event => event.message.file !== undefined)).message
  expect(await fileOf(bob, carol.chatId, heard)).toHaveLength(5000)
  expect(await fileOf(carol, bob.chatId, heard)).toHaveLength(5000)
  expect(uploadRows(carol)).toEqual([])
})

test('[CORE-5.12] under one key a file is sent once, and its bytes go to the relay once', async ({
  world,
  alice,
  bob,
  sendFile,
}) => {
  const bytes = randomFile(600_000)
  const first = await sendFile(bob.chatId, bytes, { key: 'k' })
  expect(await sendFile(bob.chatId, bytes, { key: 'k' })).toMatchObject({
    id: first.id,
    ts: first.ts,
    file: first.file,
  })
  await expect(sendFile(bob.chatId, randomFile(600_000), { key: 'k' })).rejects.toSatisfy(error =>
    isCoded(error, 'idempotency-conflict'),
  )
  await expect.poll(() => relayFiles(world)).toHaveLength(1)
  await alice.say(bob, 'that was all')
  await bob.hears('that was all')
  expect(bob.client.messages.list(alice.chatId, { limit: 10 })).toHaveLength(2)
})

test('[CORE-13.26] the use of storage names the messages and the files of each chat', async ({
  alice,
  bob,
  carol,
  sendFile,
}) => {
  await alice.say(bob, 'words')
  await sendFile(bob.chatId, randomFile(300_000))
  await alice.say(carol, 'other words')
  const { databaseBytes, fileBytes, chats } = alice.client.files.storageUse()
  const useOf = (chat: ChatId) => chats.find(use => use.chat === chat)
  expect(useOf(bob.chatId)).toMatchObject({ messages: 2, files: 1, fileBytes })
  expect(useOf(bob.chatId)?.messageBytes).toBeGreaterThan('words'.length)
  expect(useOf(carol.chatId)).toMatchObject({ messages: 1, files: 0, fileBytes: 0 })
  expect(fileBytes).toBeGreaterThan(300_000)
  expect(databaseBytes).toBeGreaterThan(10_000)
})

test('[CORE-13.27] files of older messages are removed and fetched again; newer ones, and those being read, stay', async ({
  alice,
  bob,
  sendFile,
}) => {
  const [older, newer] = [randomFile(700_000), randomFile(20)]
  const first = await sendFile(bob.chatId, older)
  const second = await sendFile(bob.chatId, newer)
  for (const { id } of [first, second]) {
    await bob.next('message', event => event.message.id === id)
    await fileOf(bob, alice.chatId, id === first.id ? first : second)
  }
  const reading = (await bob.client.files.open(alice.chatId, first.id, WITHIN)).read()[Symbol.asyncIterator]()
  const read = [(await reading.next()).value as Uint8Array]
  expect(await bob.client.files.removeBefore(second.ts)).toMatchObject({ files: 1 })
  expect(await bob.client.files.removeBefore(second.ts)).toEqual({ files: 0, bytes: 0 })
  expect(bob.client.files.storageUse().chats[0]).toMatchObject({ files: 1, messages: 2 })
  for (let next = await reading.next(); !next.done; next = await reading.next()) read.push(next.value)
  expect(Buffer.concat(read)).toEqual(Buffer.from(older))
  expect(await fileOf(bob, alice.chatId, first)).toEqual(Buffer.from(older))
})
