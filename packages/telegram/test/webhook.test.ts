// Webhooks in Telegram's shape: a receiver as bots have one, calls in its answers, and polls beside it.
import type { ServerResponse } from 'node:http'
import { gatewayLimits } from '@postern/protocol'
import { passTime, passWhenAwaited } from '@postern/testkit'
import { expect } from 'vitest'
import { type Answering, answerJson, BotReceiver, type Posted, SOON } from './bot-receiver.ts'
import { chatWith, openTelegram, refused, type Telegram, telegramOf, test as withTelegram } from './telegram.ts'

const test = withTelegram
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('receiver', async ({}, { onCleanup }) => {
    const receiver = new BotReceiver()
    await receiver.open()
    onCleanup(() => receiver.close())
    return receiver
  })
  /** Its gateway has the clock of the test. */
  .extend('timed', ({ world, alice, clock }) => telegramOf(world, alice, clock))

const infoOf = async (telegram: Telegram) => await telegram.ok('getWebhookInfo')

test('[TELEGRAM-9.1] setWebhook posts updates with the secret token; deleteWebhook ends it, and polls continue', async ({
  alice,
  telegram,
  chat,
  receiver,
}) => {
  const set = {
    url: receiver.url,
    drop_pending_updates: true,
    secret_token: 'a_Secret-1',
    max_connections: 3,
    allowed_updates: ['message'],
  }
  expect(await telegram.ok('setWebhook', set)).toBe(true)
  await alice.say(telegram.toBot, 'one')
  await receiver.received(1)
  const [{ headers, update }] = receiver.posts as [Posted]
  expect(headers['x-telegram-bot-api-secret-token']).toBe('a_Secret-1')
  expect(update).toMatchObject({ update_id: expect.any(Number), message: { text: 'one', chat: { id: chat } } })
  expect(await infoOf(telegram)).toEqual({
    url: receiver.url,
    has_custom_certificate: false,
    pending_update_count: 0,
    max_connections: 3,
    allowed_updates: ['message'],
  })

  await telegram.ok('setWebhook', { url: receiver.url })
  await alice.say(telegram.toBot, 'two')
  await receiver.received(2)
  expect(receiver.posts[1]?.headers['x-telegram-bot-api-secret-token']).toBeUndefined()
  expect(await infoOf(telegram)).toMatchObject({ max_connections: 40, allowed_updates: ['message'] })

  expect(await telegram.ok('deleteWebhook')).toBe(true)
  expect(await infoOf(telegram)).toMatchObject({ url: '' })
  await alice.say(telegram.toBot, 'three')
  expect(await telegram.next('message')).toMatchObject({ text: 'three' })
  expect(receiver.texts).toEqual(['one', 'two'])
})

test('[TELEGRAM-9.2] a poll is answered with 409 while a webhook is set, also one that waits already', async ({
  telegram,
  chat,
  receiver,
}) => {
  expect(chat).toBeGreaterThan(0)
  const offset = (await telegram.ok('getUpdates', { limit: 1 }))[0]?.update_id + 1
  const waiting = telegram.call('getUpdates', { offset, timeout: 50 })
  await expect
    .poll(async () => (await telegram.gateway.api<{ name: string; offset: number }[]>('GET', '/v1/readers')).body, SOON)
    .toMatchObject([{ name: 'telegram', offset }])
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  expect(await waiting).toEqual(refused('Conflict: terminated by setWebhook request', 409))
  expect(await telegram.call('getUpdates')).toEqual(
    refused(/^Conflict: can't use getUpdates method while webhook/, 409),
  )
  await telegram.ok('setWebhook', { url: '' })
  expect(await telegram.ok('getUpdates')).toEqual([])
})

test('[TELEGRAM-9.3] drop_pending_updates forgets what waits, in setWebhook and deleteWebhook', async ({
  alice,
  telegram,
  chat,
  receiver,
}) => {
  expect(chat).toBeGreaterThan(0)
  await alice.say(telegram.toBot, 'dropped')
  await expect.poll(async () => (await infoOf(telegram))['pending_update_count'], SOON).toBeGreaterThan(0)
  await expect.poll(() => textsWaiting(telegram), SOON).toContain('dropped')
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  await alice.say(telegram.toBot, 'kept')
  await receiver.received(1)
  expect(receiver.texts).toEqual(['kept'])
  receiver.answer = answerJson({}, 500)
  await alice.say(telegram.toBot, 'failing')
  await receiver.received(2)
  await telegram.ok('deleteWebhook', { drop_pending_updates: true })
  expect(await telegram.ok('getUpdates')).toEqual([])
})

const textsWaiting = async ({ gateway }: Telegram): Promise<unknown[]> => {
  const { body } = await gateway.api<{ message?: { text?: string } }[]>('GET', '/v1/updates')
  return body.map(({ message }) => message?.text)
}

test('[TELEGRAM-9.4] a failure is shown, and the update comes again under its id after a delay', async ({
  alice,
  timed: telegram,
  receiver,
  clock,
}) => {
  await chatWith(telegram, alice)
  receiver.answer = answerJson({}, 500)
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  await alice.say(telegram.toBot, 'again')
  await receiver.received(1)
  await expect
    .poll(() => infoOf(telegram), SOON)
    .toMatchObject({
      last_error_message: 'The receiver answered 500.',
      last_error_date: Math.floor(clock.nowMs() / 1000),
      pending_update_count: 1,
    })
  receiver.answer = response => void response.writeHead(200).end()
  await passWhenAwaited(clock, 1000, receiver.received(2))
  expect(receiver.posts[1]?.update).toEqual(receiver.posts[0]?.update)
})

test('[TELEGRAM-9.5] the answer may call a method: as JSON, as a form, and with a file', async ({
  alice,
  telegram,
  chat,
  receiver,
}) => {
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  receiver.answer = answerJson({ method: 'sendMessage', chat_id: chat, text: '<b>json</b>', parse_mode: 'HTML' })
  await alice.say(telegram.toBot, 'one')
  expect(await alice.hears('json')).toMatchObject({ entities: [{ type: 'bold' }] })
  receiver.answer = response => {
    response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' })
    response.end(new URLSearchParams({ method: 'sendmessage', chat_id: String(chat), text: 'form' }).toString())
  }
  await alice.say(telegram.toBot, 'two')
  await alice.hears('form')
  receiver.answer = response => {
    const fields = { method: 'sendDocument', chat_id: String(chat), caption: 'a file' }
    const parts = Object.entries(fields).map(
      ([name, value]) => `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const file =
      '--edge\r\ncontent-disposition: form-data; name="document"; filename="a.txt"\r\n\r\nbytes\r\n--edge--\r\n'
    response.writeHead(200, { 'content-type': 'multipart/form-data; boundary=edge' }).end(parts.join('') + file)
  }
  await alice.say(telegram.toBot, 'three')
  const sent = await alice.next('message', event => event.message.file !== undefined)
  expect(sent.message).toMatchObject({ text: 'a file', file: { name: 'a.txt', size: 5 } })
})

const hostileAnswers = [
  ['an unknown method', { method: 'sendNothing' }],
  ['a refused call', { method: 'sendMessage', chat_id: 1, text: 'x' }],
  ['the end of the webhook', { method: 'deleteWebhook' }],
  ['a poll', { method: 'getUpdates', timeout: 50 }],
  ['a list', [1]],
  ['a number as the method', { method: 7 }],
  ['an object as the method', { method: {} }],
] as const

test('[TELEGRAM-9.6] calls that are malformed or refused, and those of the webhook itself, delay no update', async ({
  alice,
  telegram,
  chat,
  receiver,
}) => {
  expect(chat).toBeGreaterThan(0)
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  for (const [index, [, answer]] of hostileAnswers.entries()) {
    receiver.answer = answerJson(answer)
    await alice.say(telegram.toBot, `${index}`)
    await receiver.received(index + 1)
  }
  receiver.answer = response => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"method":')
  await alice.say(telegram.toBot, 'cut')
  await receiver.received(hostileAnswers.length + 1)
  receiver.answer = response => void response.writeHead(200, { 'content-type': 'text/plain' }).end('OK')
  await alice.say(telegram.toBot, 'last')
  await receiver.received(hostileAnswers.length + 2)
  expect(receiver.texts).toEqual([...hostileAnswers.keys()].map(String).concat('cut', 'last'))
})

test('[TELEGRAM-9.6] an answer that breaks off is a failure, and its call is run once', async ({
  alice,
  timed: telegram,
  receiver,
  clock,
}) => {
  const chat = await chatWith(telegram, alice)
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  const call = JSON.stringify({ method: 'sendMessage', chat_id: chat, text: 'whole' })
  receiver.answer = response => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': call.length })
    response.write(call.slice(0, 20), () => response.destroy())
  }
  await alice.say(telegram.toBot, 'x')
  await expect.poll(() => infoOf(telegram), SOON).toMatchObject({ last_error_message: /broke off|cut/ })
  receiver.answer = answerJson(JSON.parse(call) as object)
  await passWhenAwaited(clock, 1000, alice.hears('whole'))
})

test.for([
  [{ url: 'ftp://here' }, 'Bad Request: bad webhook: url must be an address that starts with http:// or https://'],
  [{ url: 'nonsense' }, 'Bad Request: bad webhook: url must be an address that starts with http:// or https://'],
  [{ url: 'http://a:b@here' }, 'Bad Request: bad webhook: url must not have a user or a password'],
  [{ url: `http://here/${'x'.repeat(2048)}` }, 'Bad Request: bad webhook: url must have at most 2048 characters'],
  [{ url: 'http://here', secret_token: 'a b' }, 'Bad Request: secret token contains unallowed characters'],
  [{ url: 'http://here', secret_token: 'a\r\nb: c' }, 'Bad Request: secret token contains unallowed characters'],
  [{ url: 'http://here', secret_token: 'x'.repeat(257) }, 'Bad Request: secret_token must have at most 256 characters'],
  [{ url: 'http://here', max_connections: 101 }, 'Bad Request: max_connections must be from 1 to 100'],
  [{ url: 'http://here', max_connections: 'many' }, 'Bad Request: max_connections must be an integer'],
  [{ url: 'http://here', allowed_updates: 'many' }, "Bad Request: can't parse allowed_updates as JSON"],
  [{ url: 'http://here', drop_pending_updates: 'maybe' }, 'Bad Request: drop_pending_updates must be true or false'],
] as const)('[TELEGRAM-9.7] setWebhook refuses $0 and changes nothing', async ([parameters, why], { telegram }) => {
  expect(await telegram.call('setWebhook', parameters)).toEqual(refused(why))
  expect(await infoOf(telegram)).toMatchObject({ url: '' })
})

test('[TELEGRAM-9.8] the webhook continues after a restart, and with a reader that was deleted', async ({
  world,
  alice,
  timed,
  receiver,
  clock,
}) => {
  await chatWith(timed, alice)
  await timed.ok('setWebhook', { url: receiver.url, secret_token: 'kept', drop_pending_updates: true })
  await alice.say(timed.toBot, 'before')
  await receiver.received(1)
  // The answer of the receiver is noted after its post.
  await expect.poll(() => timed.ok('getWebhookInfo'), SOON).toMatchObject({ pending_update_count: 0 })
  await world.closeGateway(timed.gateway)
  const telegram = await openTelegram(world, clock)
  await alice.say(telegram.toBot, 'after')
  await receiver.received(2)
  expect(receiver.posts[1]?.headers['x-telegram-bot-api-secret-token']).toBe('kept')
  expect(receiver.texts).toEqual(['before', 'after'])
  await telegram.gateway.api('DELETE', '/v1/readers/telegram')
  await alice.say(telegram.toBot, 'unread')
  const readers = async () => (await telegram.gateway.api<object[]>('GET', '/v1/readers')).body
  await passWhenAwaited(clock, 1000, expect.poll(readers, SOON).toHaveLength(1))
  await alice.say(telegram.toBot, 'again')
  await expect.poll(() => receiver.texts.at(-1), SOON).toBe('again')
})

/** Like answerJson, and from then on the gateway hears nothing from the relay. */
const answerOnHeld =
  ({ gateway }: Telegram, call: object): Answering =>
  (response, posted) => {
    gateway.wire.hold()
    answerJson(call)(response, posted)
  }

test('[TELEGRAM-9.5] an update that is posted again after its call had run does not run it again', async ({
  alice,
  timed: telegram,
  receiver,
  clock,
}) => {
  const chat = await chatWith(telegram, alice)
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  receiver.answer = answerOnHeld(telegram, { method: 'sendMessage', chat_id: chat, text: 'once' })
  await alice.say(telegram.toBot, 'x')
  await alice.hears('once')
  const hasFailed = async () => {
    await expect.poll(() => infoOf(telegram), SOON).toMatchObject({ last_error_message: /call/ })
  }
  await passWhenAwaited(clock, gatewayLimits.sendWithinMs, hasFailed())
  telegram.gateway.wire.release()
  receiver.answer = answerJson({ method: 'sendMessage', chat_id: chat, text: 'once' })
  await passTime(clock, receiver.received(2))
  expect(receiver.posts[1]?.update).toEqual(receiver.posts[0]?.update)
  receiver.answer = answerJson({ method: 'sendMessage', chat_id: chat, text: 'then' })
  await alice.say(telegram.toBot, 'y')
  await passTime(clock, alice.hears('then'))
  expect(alice.texts(telegram.toBot).filter(text => text === 'once')).toHaveLength(1)
})

test('[TELEGRAM-9.9] a call that hangs does not hold up a stop', async ({
  world,
  alice,
  timed: telegram,
  receiver,
  clock,
}) => {
  const chat = await chatWith(telegram, alice)
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  receiver.answer = answerOnHeld(telegram, { method: 'sendMessage', chat_id: chat, text: 'hanging' })
  await alice.say(telegram.toBot, 'x')
  await alice.hears('hanging')
  // The clock stands still, so that no deadline ends the call.
  await world.closeGateway(telegram.gateway)
  receiver.answer = answerJson({ method: 'sendMessage', chat_id: chat, text: 'hanging' })
  const again = await openTelegram(world, clock)
  await receiver.received(2)
  expect(receiver.posts[1]?.update).toEqual(receiver.posts[0]?.update)
  await again.ok('sendMessage', { chat_id: chat, text: 'end' })
  await alice.hears('end')
  expect(alice.texts(again.toBot).filter(text => text === 'hanging')).toHaveLength(1)
})

test('[TELEGRAM-9.11] a call that takes longer than 30 seconds to come is run, and its update is not posted again', async ({
  alice,
  timed: telegram,
  receiver,
  clock,
}) => {
  const chat = await chatWith(telegram, alice)
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  let answer: ServerResponse | undefined
  receiver.answer = response => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"method":"sendMessage",')
    answer = response
  }
  await alice.say(telegram.toBot, 'x')
  await receiver.received(1)
  for (const piece of [`"chat_id":${chat},`, '"text":', '"late"}']) {
    // Each piece begins the time again, once the gateway has it: it answers a later request afterwards.
    await infoOf(telegram)
    clock.advance(gatewayLimits.webhookAnswerWithinMs * 0.4)
    answer?.write(piece)
  }
  receiver.answer = response => void response.writeHead(200).end()
  answer?.end()
  await passTime(clock, alice.hears('late'))
  await alice.say(telegram.toBot, 'y')
  await passTime(clock, receiver.received(2))
  expect(receiver.texts).toEqual(['x', 'y'])
})

test('[TELEGRAM-9.11] an answer that stops in the middle is a failure after 30 seconds', async ({
  alice,
  timed: telegram,
  receiver,
  clock,
}) => {
  await chatWith(telegram, alice)
  await telegram.ok('setWebhook', { url: receiver.url, drop_pending_updates: true })
  receiver.answer = response => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"method":')
  }
  await alice.say(telegram.toBot, 'x')
  await receiver.received(1)
  const hasFailed = async () => {
    await expect.poll(() => infoOf(telegram), SOON).toMatchObject({ last_error_message: /broke off/ })
  }
  await passWhenAwaited(clock, gatewayLimits.webhookAnswerWithinMs, hasFailed())
})
