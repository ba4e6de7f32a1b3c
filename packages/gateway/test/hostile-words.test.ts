// Words of people whose clients break the rules, as the bot's operator receives them.
import { fromUtf8, privateChatId, utf8 } from '@postern/protocol'
import { expect, vi } from 'vitest'
import { test } from './fixtures.ts'

/** The values sent in place of a text and of the name with it. */
const forged = vi.hoisted(() => ({ body: {} as object, name: '' }))

vi.mock(import('@postern/protocol/content'), async original => {
  const real = await original()
  return {
    ...real,
    encodeContent: content => {
      const honest = real.encodeContent(content)
      if (content.body.kind !== 'text') return honest
      const { hello, ...rest } = JSON.parse(fromUtf8(honest)) as { hello?: object }
      return utf8(
        JSON.stringify({ ...rest, ...(hello && { hello: { ...hello, name: forged.name } }), body: forged.body }),
      )
    },
  }
})

test('[GATEWAY-4.14] mentions, names and halves of characters of a modified client are put right, in updates and in the history', async ({
  mallory,
  online: { gateway, api },
}) => {
  const user = mallory.id
  forged.name = 'admin\n\u202eyrollam\u0000'
  forged.body = {
    kind: 'text',
    text: '👍 a\ud800',
    mentions: [
      { user, offset: 1, length: 2 },
      { user, offset: 3, length: 1 },
      { user, offset: 3, length: 2 },
      { user, offset: 0, length: 2 },
    ],
  }
  await mallory.say(privateChatId(gateway.client.account), 'forged')
  const response = await api.get('/v1/updates?timeout=60&limit=2')
  expect(await response.text()).not.toMatch(/\\u(0000|202e|d800)|\\n|\u202e/i)
  const { message } = await api.next('message')
  expect(message).toMatchObject({
    from: { id: mallory.id, name: 'admin yrollam' },
    text: '👍 a\ufffd',
    mentions: [{ user, offset: 3, length: 1 }],
  })
  const { text, mentions } = message
  expect(await api.ok('GET', `/v1/chats/${mallory.id}/messages`)).toMatchObject([{ text, mentions }])
})
