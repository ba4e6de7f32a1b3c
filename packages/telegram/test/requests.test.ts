// Requests in every form that clients use, and in none: tokens, hostile bodies, unknown methods.
import { expect } from 'vitest'
import { refused, type Shown, TOKEN, test } from './telegram.ts'

test('[TELEGRAM-1.2] query, form, multipart and JSON, and names in any case', async ({ telegram, alice, chat }) => {
  await telegram.fetch(`sendmessage?chat_id=${chat}&text=query`)
  await alice.hears('query')
  const body = new URLSearchParams({ chat_id: String(chat), text: 'form', disable_notification: 'true' })
  await telegram.fetch('SENDMESSAGE', { method: 'POST', body })
  expect(await alice.hears('form')).toMatchObject({ silent: true })
  const form = new FormData()
  form.set('chat_id', String(chat))
  form.set('text', 'multipart')
  form.set('reply_markup', JSON.stringify({ inline_keyboard: [[{ text: 'a', callback_data: 'b' }]] }))
  await telegram.fetch('sendMessage', { method: 'POST', body: form })
  expect(await alice.hears('multipart')).toMatchObject({ buttons: [[{ text: 'a', data: 'b' }]] })
})

test('[TELEGRAM-1.3] the token of the path, with and without digits, and no other', async ({ telegram }) => {
  const status = async (path: string) => {
    const response = await fetch(`${telegram.root}${path}`)
    return [response.status, await response.json()]
  }
  expect(await status(`/bot123456:${TOKEN}/getMe`)).toMatchObject([
    200,
    { ok: true, result: { is_bot: true, username: 'bot_bot' } },
  ])
  for (const token of ['wrong', '', `x:${TOKEN}`, `${TOKEN}x`, '%00'])
    expect(await status(`/bot${token}/getMe`)).toEqual([
      401,
      { ok: false, error_code: 401, description: 'Unauthorized' },
    ])
  expect(await status('/file/botwrong/x')).toMatchObject([401, { ok: false }])
})

test('[TELEGRAM-1.4] switched off, there are no such routes', async ({ world }) => {
  const gateway = await world.gateway()
  expect((await fetch(`${gateway.url}/bot${TOKEN}/getMe`)).status).toBe(404)
})

test('[TELEGRAM-1.4] a token that libraries cannot write into an address is refused at the start', async ({
  world,
}) => {
  await expect(world.gateway({ TELEGRAM_API: 'on', BOT_TOKEN: 'a/b' })).rejects.toThrow(/^BOT_TOKEN: must have only/)
})

test('[TELEGRAM-1.5] unknown methods: 400, counted by their names', async ({ telegram }) => {
  expect(await telegram.call('sendInvoice')).toEqual(refused('Bad Request: method is not supported by this gateway'))
  expect(await telegram.call('constructor')).toEqual(refused('Bad Request: method is not supported by this gateway'))
  await telegram.call('a%20b"c')
  const metrics = await (
    await fetch(`${telegram.root}/v1/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  ).text()
  expect(metrics).toContain('postern_telegram_unsupported_total{method="sendInvoice"} 1')
  expect(metrics).toContain('postern_telegram_unsupported_total{method="other"} 1')
  expect(metrics).toContain('postern_telegram_calls_total{outcome="unknown"} 3')
  expect(metrics).not.toContain(TOKEN)
})

const bodies: [type: string, body: string][] = [
  ['application/json', '{'],
  ['application/json', '[]'],
  ['application/json', '"x"'],
  ['application/json', '['.repeat(500_000)],
  ['application/json', `{"chat_id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['application/json', `{"text":"${'x'.repeat(2_000_000)}"}`],
  ['application/json', '{"__proto__":{"chat_id":1},"constructor":1}'],
  ['multipart/form-data', 'x'],
  ['multipart/form-data; boundary=b', 'x'],
  ['application/x-www-form-urlencoded', '%%%=%'],
  ['', '\u0000'],
]
test('[TELEGRAM-6.1] hostile bodies: 400 in the shape of Telegram', async ({ telegram }) => {
  for (const [type, body] of bodies) {
    const answer = await telegram.fetch('sendMessage', { method: 'POST', headers: { 'content-type': type }, body })
    expect([type, body.slice(0, 40), answer]).toEqual([type, body.slice(0, 40), refused(/^Bad Request: /)])
  }
  const invalid = await telegram.fetch('sendMessage', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from([0xff]),
  })
  expect(invalid).toEqual(refused(/UTF-8/))
})

test('[TELEGRAM-6.3] errors that bots match', async ({ telegram, chat }) => {
  const send = (given: object) => telegram.call('sendMessage', { chat_id: chat, text: 'x', ...given })
  expect(await send({ chat_id: 12_345 })).toEqual(refused('Bad Request: chat not found'))
  expect(await send({ chat_id: undefined })).toEqual(refused('Bad Request: chat_id is empty'))
  expect(await send({ text: ' ' })).toEqual(refused('Bad Request: message text is empty'))
  expect(await send({ text: 'x'.repeat(4097) })).toEqual(refused(/message is too long/))
  expect(await send({ text: '<b>', parse_mode: 'HTML' })).toEqual(refused(/can't parse entities/))
  expect(await send({ reply_parameters: { message_id: 999 } })).toEqual(
    refused('Bad Request: message to be replied not found'),
  )
  const data = { inline_keyboard: [[{ text: 'a', callback_data: 'x'.repeat(65) }]] }
  expect(await send({ reply_markup: data })).toEqual(refused('Bad Request: BUTTON_DATA_INVALID'))
  expect(await send({ reply_markup: { inline_keyboard: [[{ text: 'a', url: 'http://a.example' }]] } })).toEqual(
    refused(/BUTTON_URL_INVALID/),
  )
})

test('[TELEGRAM-6.4] a send under the same Idempotency-Key is one message', async ({ telegram, alice, chat }) => {
  const once = { 'idempotency-key': 'k1' }
  const first = await telegram.ok('sendMessage', { chat_id: chat, text: 'once' }, once)
  expect(await telegram.ok('sendMessage', { chat_id: chat, text: 'once' }, once)).toMatchObject({
    message_id: first['message_id'],
  })
  await alice.hears('once')
  expect(alice.texts(telegram.toBot).filter(text => text === 'once')).toHaveLength(1)
  expect(((await telegram.ok('getMyCommands')) as Shown[]).length).toBe(0)
})

test('[TELEGRAM-6.5] a request that is refused changes nothing: no list of updates, no message, and no poll ends', async ({
  telegram,
  alice,
  chat,
}) => {
  const offset = (await telegram.ok('getUpdates', { limit: 1 }))[0]?.update_id + 1
  const waiting = telegram.call('getUpdates', { offset, timeout: 50 })
  const readers = async () => (await telegram.gateway.api<object[]>('GET', '/v1/readers')).body
  await expect.poll(readers).toMatchObject([{ offset }])
  const wrong = { limit: 'many', allowed_updates: ['poll'] }
  expect(await telegram.call('getUpdates', wrong)).toEqual(refused('Bad Request: limit must be an integer'))
  expect(await telegram.ok('getWebhookInfo')).not.toHaveProperty('allowed_updates')
  await alice.say(telegram.toBot, 'for the poll that waits')
  expect(await waiting).toMatchObject({ status: 200, body: { result: [{ message: {} }] } })
  const { message_id: number } = await telegram.ok('sendMessage', { chat_id: chat, text: 'kept' })
  const deletion = { chat_id: chat, message_ids: [number, 'x'] }
  expect(await telegram.call('deleteMessages', deletion)).toEqual(
    refused('Bad Request: message_ids must be a list of integers'),
  )
  await telegram.ok('editMessageText', { chat_id: chat, message_id: number, text: 'still here' })
})
