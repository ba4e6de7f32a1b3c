// A sender for Slack posts to a hook: Slack's answers, one message for each event, and formatting across messages.
import { hookLimits } from '@postern/protocol'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { backOnline, dry, hookedGateway, newHook, secretOf } from './hooks.ts'

type Answered = { status: number; type: string | null; text: string }

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend('hook', ({ hooked, alice }) => newHook(hooked.api, alice.id, 'slack'))
  .extend('send', ({ hooked, hook }) => async (body: string, type = 'application/json'): Promise<Answered> => {
    const answer = await fetch(`${hooked.gateway.url}/hooks/${secretOf(hook)}`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  })

const plain = (status: number, text: string): Answered => ({ status, type: 'text/plain; charset=utf-8', text })

test('[GATEWAY-10.36] Slack’s answers: ok, invalid_payload and no_text', async ({ alice, hooked, hook, send }) => {
  expect(await send('{"text":"hello *you*"}')).toEqual(plain(200, 'ok'))
  expect((await alice.hears('hello you')).entities).toEqual([{ type: 'bold', offset: 6, length: 3 }])
  for (const body of ['', '{', '[]', '5', '"x"', 'null'])
    expect(await send(body)).toEqual(plain(400, 'invalid_payload'))
  for (const body of ['{}', '{"text":" "}', '{"text":5}', '{"blocks":[{}]}', '{"username":"x"}'])
    expect(await send(body)).toEqual(plain(400, 'no_text'))
  const big = `{"text":"${'x'.repeat(hookLimits.bodyBytesMax)}"}`
  expect(await send(big)).toEqual(plain(400, 'invalid_payload'))
  const form = 'application/x-www-form-urlencoded'
  expect(await send(`payload=${encodeURIComponent('{"text":"by form"}')}`, form)).toEqual(plain(200, 'ok'))
  await alice.hears('by form')
  expect(await hooked.api.ok('GET', '/v1/hooks')).toMatchObject([{ last_status: 200, last_result: 'written' }])
  expect((await dry(hooked.gateway, hook, { json: { text: '*x*' } })).body).toEqual({
    text: 'x',
    entities: [{ type: 'bold', offset: 0, length: 1 }],
  })
  await send('{')
  expect(await hooked.api.ok('GET', '/v1/hooks')).toMatchObject([{ last_error: 'body: must be valid JSON.' }])
})

test('[GATEWAY-10.37] the same body within a minute is one message, from any connection, also across a restart', async ({
  alice,
  clock,
  hooked,
  send,
}) => {
  const body = '{"text":"once"}'
  const answers = await Promise.all([send(body), send(body), send(body)])
  expect(answers).toEqual([plain(200, 'ok'), plain(200, 'ok'), plain(200, 'ok')])
  await hooked.restart()
  expect(await send(body)).toEqual(plain(200, 'ok'))
  await send('{"text":"other"}')
  await alice.hears('other')
  expect(alice.texts(hooked.chatId)).toEqual(['once', 'other'])
  clock.advance(hookLimits.repeatWithinMs.event)
  await backOnline(clock, hooked.gateway)
  await send(body)
  await send('{"text":"end"}')
  await alice.hears('end')
  expect(alice.texts(hooked.chatId)).toEqual(['once', 'other', 'once', 'end'])
})

test('[GATEWAY-10.36] formatting continues in the next message, and buttons are below the last one', async ({
  alice,
  hooked,
  send,
}) => {
  const url = 'https://a.example/'
  const text = `${'a'.repeat(4000)} *${'b'.repeat(500)}*`
  await send(JSON.stringify({ attachments: [{ text, actions: [{ text: 'Open', url }] }] }))
  const last = await alice.next('message', ({ message }) => message.text?.startsWith('b') === true)
  expect(last.message.entities).toEqual([{ type: 'bold', offset: 0, length: last.message.text?.length }])
  expect(last.message.buttons).toEqual([[{ text: 'Open', url }]])
  const shown = alice.client.messages.list(hooked.chatId, { limit: 10 })
  const first = shown.find(({ text: words }) => words?.startsWith('a') === true)
  expect(first).toBeDefined()
  expect(first).not.toHaveProperty('buttons')
})
