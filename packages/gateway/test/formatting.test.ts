// Formatted texts and captions: as Markdown or as entities, sent, edited and received.
import type { Message } from '@postern/bot-api'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './fixtures.ts'
import { sendForm, sentFile } from './send-form.ts'
import { badRequest, sees, talking } from './talking.ts'

const bold = (offset: number, length: number) => ({ type: 'bold', offset, length })

test('[GATEWAY-4.21] a text, an edit and a caption in Markdown arrive without marks, with entities', async ({
  world,
  alice,
}) => {
  const { api, path } = await talking(world, alice)
  const markdown = '👍 **done**, see [the log](https://example.org/log) and `a_b`, but 2*3*4'
  const json = { text: markdown, format: 'markdown', mentions: [{ user: alice.id, offset: 5, length: 4 }] }
  const sent = await api.ok<Message>('POST', `${path}/messages`, json)
  const formatted = {
    text: '👍 done, see the log and a_b, but 2*3*4',
    mentions: [{ user: alice.id, offset: 3, length: 4 }],
    entities: [
      bold(3, 4),
      { type: 'link', offset: 13, length: 7, url: 'https://example.org/log' },
      { type: 'code', offset: 25, length: 3 },
    ],
  }
  expect(sent).toMatchObject(formatted)
  expect(await sees(alice, sent)).toMatchObject(formatted)
  const edited = await api.ok<Message>('PATCH', `${path}/messages/${sent.id}`, { text: '**no**', format: 'markdown' })
  expect(edited).toMatchObject({ text: 'no', entities: [bold(0, 2)] })
  expect((await alice.next('edited')).message).toMatchObject({ text: 'no', entities: [bold(0, 2)] })
  const file = await sentFile(api, path, 'report', { fields: { caption: 'a **b**', format: 'markdown' } })
  expect(await sees(alice, file)).toMatchObject({ text: 'a b', entities: [bold(2, 1)] })
})

test('[GATEWAY-4.21] no text is refused as Markdown, and without a format every text stays as it is', async ({
  world,
  alice,
}) => {
  const { api, path } = await talking(world, alice)
  const unclosed = ['**', '[a](', '`', '_*~~||', '> ', '*'.repeat(4096), '[a](javascript:alert(1))']
  for (const text of unclosed) {
    const sent = await api.ok<Message>('POST', `${path}/messages`, { text, format: 'markdown' })
    expect(sent.text).toBe(text)
    expect(sent).not.toHaveProperty('entities')
  }
  const plain = await api.ok<Message>('POST', `${path}/messages`, { text: '**a** `b`', format: null, entities: null })
  expect(plain.text).toBe('**a** `b`')
  expect(plain).not.toHaveProperty('entities')
})

test('[GATEWAY-4.22] entities in any order arrive in that of the text, also with a file', async ({ world, alice }) => {
  const { api, path } = await talking(world, alice)
  const entities = [
    { type: 'italic', offset: 2, length: 1 },
    { type: 'pre', offset: 4, length: 1, lang: 'ts', url: 'https://example.org' },
    { type: 'bold', offset: 0, length: 3 },
  ]
  const arranged = [
    bold(0, 3),
    { type: 'italic', offset: 2, length: 1 },
    { type: 'pre', offset: 4, length: 1, lang: 'ts' },
  ]
  const sent = await api.ok<Message>('POST', `${path}/messages`, { text: 'a b c', entities })
  expect(sent.entities).toEqual(arranged)
  expect((await sees(alice, sent)).entities).toEqual(arranged)
  const file = await sentFile(api, path, 'report', {
    fields: { caption: 'a b c', entities: JSON.stringify(entities) },
  })
  expect((await sees(alice, file)).entities).toEqual(arranged)
})

test('[GATEWAY-4.23] entities alone are judged by the current text, and mentions and entities leave each other alone', async ({
  world,
  alice,
}) => {
  const { api, path } = await talking(world, alice)
  const { id } = await api.ok<Message>('POST', `${path}/messages`, { text: 'hello alice' })
  const edit = (json: object) => api.call<Message>('PATCH', `${path}/messages/${id}`, { json })
  const mentions = [{ user: alice.id, offset: 6, length: 5 }]
  expect(await edit({ entities: [bold(0, 5)] })).toMatchObject({ status: 200, body: { entities: [bold(0, 5)] } })
  expect((await edit({ mentions })).body).toMatchObject({ text: 'hello alice', mentions, entities: [bold(0, 5)] })
  expect((await edit({ entities: [bold(6, 5)] })).body).toMatchObject({ mentions, entities: [bold(6, 5)] })
  expect(await edit({ entities: [bold(6, 6)] })).toEqual(badRequest(/^entities\[0\]: must end within the text/))
  const { body: plain } = await edit({ entities: [] })
  expect(plain).toMatchObject({ mentions })
  expect(plain).not.toHaveProperty('entities')
  expect((await edit({ entities: [] })).body.edited_ts).toBe(plain.edited_ts)
  await edit({ entities: [bold(0, 1)] })
  expect((await edit({ text: 'bye' })).body).not.toHaveProperty('entities')
})

test('[GATEWAY-4.24] a format with entities, an unknown one or one without a text is 400, and nothing is sent', async ({
  world,
  alice,
}) => {
  const { api, path } = await talking(world, alice)
  const refused: [object, string][] = [
    [{ text: 'x', format: 'html' }, 'format: must be markdown.'],
    [{ text: 'x', format: 'markdown', entities: [] }, 'format: must not be sent together with entities.'],
    [{ text: 'x', entities: 5 }, 'entities: must be an array.'],
    [{ text: 'x', entities: [{ type: 'link', offset: 0, length: 1 }] }, 'entities[0]: must be a link with a url.'],
    [
      { text: 'x', entities: Array.from({ length: 201 }, () => bold(0, 1)) },
      'entities: must have at most 200 entries.',
    ],
    [
      { text: 'abc', entities: [bold(0, 2), bold(1, 2)] },
      'entities[1]: must be inside of the others or apart from them.',
    ],
  ]
  for (const [json, error] of refused)
    expect(await api.call('POST', `${path}/messages`, { json })).toMatchObject(badRequest(error))
  const fields = { caption: 'x', entities: '[{' }
  expect(await sendForm(api, path, 'x', { fields })).toMatchObject(badRequest('entities: must be an array.'))
  expect(await api.ok<Message[]>('GET', `${path}/messages`)).toEqual([])
  const { id } = await api.ok<Message>('POST', `${path}/messages`, { text: 'x' })
  const json = { format: 'markdown' }
  const alone = badRequest('format: must be sent together with a text.')
  expect(await api.call('PATCH', `${path}/messages/${id}`, { json })).toMatchObject(alone)
})

test('[GATEWAY-4.25] a person’s formatting reaches the operator', async ({ world, alice }) => {
  const { api, toBot } = await talking(world, alice)
  const entities = [{ type: 'spoiler', offset: 0, length: 2 }] as const
  await alice.client.messages.sendText(toBot, { text: 'no hurry', entities: [...entities] }, WITHIN)
  const { message } = await api.next('message', update => update.message.text === 'no hurry')
  expect(message).toMatchObject({ entities })
})

test('[GATEWAY-4.26] a repeat under its key is the same message, and another format another request', async ({
  world,
  alice,
}) => {
  const { api, path } = await talking(world, alice)
  const send = (json: object) =>
    api.call<Message>('POST', `${path}/messages`, { json, headers: { 'idempotency-key': 'k1' } })
  const { body } = await send({ text: '**a**', format: 'markdown' })
  expect((await send({ text: '**a**', format: 'markdown' })).body.id).toBe(body.id)
  expect((await send({ text: 'a', entities: [bold(0, 1)] })).status).toBe(400)
  // The same message, but not the same request.
  expect((await send({ text: '**a**' })).status).toBe(400)
  expect((await send({ text: '__a__', format: 'markdown' })).status).toBe(400)
})
