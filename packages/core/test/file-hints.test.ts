// Screens learn more of a file than the bot API: the album that it belongs to, and the wave of a voice.
import { type ChatId, contentLimits, sendIdFromBytes, toBase64Url, utf8 } from '@postern/protocol'
import { decodeContent } from '@postern/protocol/content'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const ALBUM = '6f1c2f0e-5a57-4d0f-9c0e-1d5a7e8b9c01'

test('[CORE-7.10] a screen has the album and the wave of a file, and the bot API does not', async ({ alice, bob }) => {
  await alice.say(bob, 'hello')
  const draft = await alice.client.files.draft(new Blob(['bytes']).stream())
  const said = { draft, name: 'v.ogg', type: 'audio/ogg', kind: 'voice', album: ALBUM, wave: 'AZ09_-' } as const
  await alice.client.files.send(bob.chatId, said, WITHIN)
  await draft.discard()
  const { message } = await bob.next('message', update => update.message.file !== undefined)
  const chat = alice.id as string as ChatId
  expect(message.file).not.toHaveProperty('album')
  for (const one of bob.client.messages.list(chat, { limit: 5 })) expect(one.file ?? {}).not.toHaveProperty('wave')
  const shown = bob.client.messages.history(chat, { limit: 1 }).rows[0]
  const hints = { album: ALBUM, wave: 'AZ09_-' }
  expect(shown?.kind === 'message' && shown.message.file).toMatchObject(hints)
  expect(bob.client.messages.media(chat, { kinds: ['voice'], limit: 1 })[0]?.file).toMatchObject(hints)
})

const key = toBase64Url(new Uint8Array(32))
const blob = 'a'.repeat(26)

/** As a modified client might write it. */
const received = (hints: object) => {
  const body = { kind: 'file', blob, key, digest: key, size: 1, name: 'x', type: 'x/y', shownAs: 'voice', ...hints }
  const send = sendIdFromBytes(new Uint8Array(16))
  return decodeContent(utf8(JSON.stringify({ v: 1, send, profileVersion: 0, body })))?.body
}

test.for([
  ['a number', 7],
  ['an object', { id: ALBUM }],
  ['too long', 'a'.repeat(contentLimits.waveBarsMax + 1)],
  ['with other signs', 'abcdefghijklmnop!'],
  ['empty', ''],
] as const)('[CORE-7.10] a file whose hints are %s is shown without them', ([, value]) => {
  const body = received({ album: value, wave: value })
  expect(body).toMatchObject({ kind: 'file', name: 'x' })
  expect(body).toMatchObject({ album: undefined, wave: undefined })
})
