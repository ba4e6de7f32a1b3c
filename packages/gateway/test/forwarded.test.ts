// The mark of forwarded messages, as a bot's operator sees it.
import type { Message } from '@postern/bot-api'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './fixtures.ts'

test('[GATEWAY-4.19] a message that a person forwards to the bot has `forwarded`, and others have no such field', async ({
  alice,
  talking: { api, path, toBot },
}) => {
  const passedOn = await alice.client.messages.sendText(toBot, { text: 'passed on', forwarded: true }, WITHIN)
  const own = await alice.client.messages.sendText(toBot, { text: 'my own' }, WITHIN)
  for (const { id } of [passedOn, own]) await api.next('message', ({ message }) => message.id === id)
  expect(await api.ok<Message>('GET', `${path}/messages/${passedOn.id}`)).toMatchObject({ forwarded: true })
  expect(await api.ok<Message>('GET', `${path}/messages/${own.id}`)).not.toHaveProperty('forwarded')
})
