// Messages that notify nobody.
import type { Message } from '@postern/bot-api'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './fixtures.ts'
import { sendForm, sentFile } from './send-form.ts'
import { badRequest, sees, talking } from './talking.ts'

const poll = { question: 'Tea?', options: ['yes', 'no'] }

test('[GATEWAY-4.18] a text, a file and a poll arrive as silent, and an edit leaves them so', async ({
  world,
  alice,
}) => {
  const { api, path } = await talking(world, alice)
  const text = await api.ok<Message>('POST', `${path}/messages`, { text: 'all is well', silent: true })
  const file = await sentFile(api, path, 'report', { fields: { silent: 'true' } })
  const asked = await api.ok<Message>('POST', `${path}/polls`, { ...poll, silent: true })
  for (const sent of [text, file, asked]) {
    expect(sent).toMatchObject({ silent: true })
    expect(await sees(alice, sent)).toMatchObject({ silent: true })
  }
  const edited = await api.ok<Message>('PATCH', `${path}/messages/${text.id}`, { text: 'all is still well' })
  expect(edited).toMatchObject({ text: 'all is still well', silent: true })
})

test('[GATEWAY-4.18] without it, or with false, a message has no such field', async ({ world, alice }) => {
  const { api, path } = await talking(world, alice)
  const texts = [{ text: 'one' }, { text: 'two', silent: false }, { text: 'three', silent: null }]
  const sent = [
    ...(await Promise.all(texts.map(json => api.ok<Message>('POST', `${path}/messages`, json)))),
    await sentFile(api, path, 'report', { fields: { silent: 'false' } }),
    await sentFile(api, path, 'report', { fields: { silent: '' } }),
    await api.ok<Message>('POST', `${path}/polls`, { ...poll, silent: false }),
  ]
  for (const one of sent) {
    expect(one).not.toHaveProperty('silent')
    expect(await sees(alice, one)).not.toHaveProperty('silent')
  }
})

test('[GATEWAY-4.18] a person’s silent message reaches the operator as such', async ({ world, alice }) => {
  const { api, toBot } = await talking(world, alice)
  await alice.client.messages.sendText(toBot, { text: 'no hurry', silent: true }, WITHIN)
  const { message } = await api.next('message', update => update.message.text === 'no hurry')
  expect(message).toMatchObject({ silent: true })
})

test('[GATEWAY-4.18] another value is 400, and nothing is sent', async ({ world, alice }) => {
  const { api, path } = await talking(world, alice)
  const refused = badRequest('silent: must be true or false.')
  expect(await api.call('POST', `${path}/messages`, { json: { text: 'x', silent: 'yes' } })).toMatchObject(refused)
  expect(await api.call('POST', `${path}/polls`, { json: { ...poll, silent: 1 } })).toMatchObject(refused)
  expect(await sendForm(api, path, 'report', { fields: { silent: 'yes' } })).toMatchObject(refused)
  expect(await api.ok<Message[]>('GET', `${path}/messages`)).toEqual([])
})
