// The marks of a bot's messages, by which the relay wakes devices, and the previews for people who want them.
import { hash } from 'node:crypto'
import type { Message } from '@postern/bot-api'
import { messageIdFromHash, privateChatId, toBase64Url } from '@postern/protocol'
import { openPreview, readPush } from '@postern/protocol/preview'
import { type CallRequest, decodeClientFrame, readEnvelopeHeader } from '@postern/protocol/relay'
import type { TestPerson, Wire } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './fixtures.ts'
import { sentFile } from './send-form.ts'
import { sees, talking } from './talking.ts'

const poll = { question: 'Tea?', options: ['yes', 'no'] }

type Entry = CallRequest<'appendMarked'>

/** The gateway's entries to everybody in a chat, from now on. */
function entriesOn(wire: Wire): Entry[] {
  const sent: Entry[] = []
  wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame.slice())
    if (decoded.kind === 'call' && decoded.name === 'appendMarked' && !decoded.request.to) sent.push(decoded.request)
    return [frame]
  }
  return sent
}

const entryOf = (sent: Entry[], { id }: Message): Entry | undefined =>
  sent.find(({ payload }) => messageIdFromHash(hash('sha256', payload, 'buffer')) === id)

test('[GATEWAY-4.20] texts, files and polls are for attention, silent ones and edits are not', async ({
  world,
  alice,
}) => {
  const { gateway, api, path } = await talking(world, alice)
  const sent = entriesOn(gateway.wire)
  const loud = [
    await api.ok<Message>('POST', `${path}/messages`, { text: 'the disk is full' }),
    await sentFile(api, path, 'report', {}),
    await api.ok<Message>('POST', `${path}/polls`, poll),
  ]
  const silent = [
    await api.ok<Message>('POST', `${path}/messages`, { text: 'all is well', silent: true }),
    await sentFile(api, path, 'report', { fields: { silent: 'true' } }),
    await api.ok<Message>('POST', `${path}/polls`, { ...poll, silent: true }),
  ]
  expect(loud.map(message => entryOf(sent, message)?.attention)).toEqual(['message', 'message', 'message'])
  expect(silent.map(message => entryOf(sent, message)?.attention)).toEqual(['none', 'none', 'none'])
  sent.length = 0
  await api.ok('PATCH', `${path}/messages/${loud[0]?.id}`, { text: 'the disk is still full' })
  await api.ok('DELETE', `${path}/messages/${loud[2]?.id}`)
  expect(sent.length).toBeGreaterThanOrEqual(2)
  for (const { attention, preview } of sent) expect({ attention, preview }).toEqual({ attention: 'none' })
})

test('[GATEWAY-4.20] a bot adds the words for people who want them, and the API shows nothing of it', async ({
  world,
  alice,
}) => {
  const { gateway, api, path } = await talking(world, alice)
  const sent = entriesOn(gateway.wire)
  const before = await api.ok<Message>('POST', `${path}/messages`, { text: 'before' })
  expect(entryOf(sent, before)?.preview).toBeUndefined()
  await alice.client.pushes.setPreviewsWanted(true)
  const arrived = async () => {
    const alert = await api.ok<Message>('POST', `${path}/messages`, { text: 'the disk is full' })
    await sees(alice, alert)
    return entryOf(sent, alert)
  }
  await expect.poll(async () => (await arrived())?.preview).toBeDefined()
  const entry = await arrived()
  if (!entry) throw new Error('the message was not sent')
  await expect.poll(() => alice.client.pushes.previewKeys()).toHaveLength(1)
  expect(await opened(alice, { entry, sender: gateway.client.account })).toEqual({ text: 'the disk is full' })
  const silent = await api.ok<Message>('POST', `${path}/messages`, { text: 'hush', silent: true })
  expect(entryOf(sent, silent)).toMatchObject({ attention: 'none', preview: undefined })
  await alice.say(privateChatId(gateway.client.account), 'thanks')
  const next = await api.next('message')
  expect(next.message).toMatchObject({ text: 'thanks' })
})

async function opened({ client }: TestPerson, { entry, sender }: { entry: Entry; sender: string }) {
  const { group } = readEnvelopeHeader(entry.payload)
  const message = messageIdFromHash(hash('sha256', entry.payload, 'buffer'))
  const preview = toBase64Url(entry.preview ?? new Uint8Array(0))
  const push = readPush(
    JSON.stringify({ v: 1, group, count: 1, attention: 'message', sender, message, ts: 1, preview }),
  )
  const key = client.pushes.previewKeys()[0]?.key ?? new Uint8Array(0)
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['decrypt'])
  return push && (await openPreview(async () => imported, push))
}
