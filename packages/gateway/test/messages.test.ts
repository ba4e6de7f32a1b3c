// Messages end to end: the bot's actions reach people, and people's actions reach the bot.
import { type Message, message } from '@postern/bot-api'
import { gatewayLimits, type MessageId } from '@postern/protocol'
import { passTime, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { talking } from './talking.ts'

async function heard(api: Api, said: Promise<Message>): Promise<MessageId> {
  const { id } = await said
  await api.next('message', update => update.message.id === id)
  return id
}

const badRequest = (sentence: RegExp) => ({
  status: 400,
  body: { code: 'bad_request', error: expect.stringMatching(sentence) },
})
const notFound = { status: 404, body: { code: 'not_found', error: expect.any(String) } }

const test = base
  .extend('sent', ({ alice }) => async (api: Api, text: string): Promise<Message & { id: MessageId }> => {
    const answer = message.parse(await api.ok('POST', `/v1/chats/${alice.id}/messages`, { text }))
    await alice.hears(text)
    return answer
  })
  .extend(
    'send',
    ({ alice }) =>
      (api: Api, json: object, key: string) =>
        api.call('POST', `/v1/chats/${alice.id}/messages`, { json, headers: { 'idempotency-key': key } }),
  )

describe('reading', () => {
  test('[GATEWAY-4.6] messages are listed oldest first, page by page before a time, and none is skipped', async ({
    alice,
    sent,
    talking: { api, path, toBot },
  }) => {
    for (let at = 1; at <= 7; at++) await (at % 2 ? alice.say(toBot, `text ${at}`) : sent(api, `text ${at}`))
    await api.next('message', update => update.message.text === 'text 7')
    const list = async (query: string) => message.array().parse(await api.ok('GET', `${path}/messages?${query}`))
    await expect.poll(async () => (await list('')).map(({ status }) => status ?? ''), SOON).not.toContain('sent')
    const all = await list('')
    expect(all.map(({ text }) => text)).toEqual([1, 2, 3, 4, 5, 6, 7].map(at => `text ${at}`))
    const pages: Message[] = []
    for (let before = ''; ; before = `&before=${pages[0]?.ts}`) {
      const page = await list(`limit=3${before}`)
      if (page.length === 0) break
      pages.unshift(...page)
    }
    expect(pages).toEqual(all)
    expect(await list('before=0')).toEqual([])
    const on: Message[] = []
    for (let after = 0; ; after = on.at(-1)?.ts ?? 0) {
      const page = await list(`limit=3&after=${after}`)
      if (page.length === 0) break
      on.push(...page)
    }
    expect(on).toEqual(all)
    expect(await list(`limit=3&around=${all[3]?.id}`)).toEqual(all.slice(2, 5))
    expect(await list(`limit=3&around=${all[6]?.id}`)).toEqual(all.slice(4))
    expect(await api.call('GET', `${path}/messages?around=${'b'.repeat(32)}`)).toEqual(notFound)
    const wrong = (query: string) => api.call('GET', `${path}/messages?${query}`)
    expect(await wrong('before=1&after=1')).toMatchObject(badRequest(/after.*cannot be combined with before/))
    expect(await wrong('around=x')).toMatchObject(badRequest(/^around: is not a valid message id/))
    expect(await wrong('after=-1')).toMatchObject(badRequest(/after: must be a whole number of at least 0/))
    for (const one of all) expect(await api.ok('GET', `${path}/messages/${one.id}`)).toEqual(one)
  })

  test('[GATEWAY-4.6] a chat or a message that does not exist is 404', async ({ talking: { api, path } }) => {
    const unknown = 'b'.repeat(32)
    for (const wrong of [`/v1/chats/${unknown}/messages`, `${path}/messages/${unknown}`, `${path}/messages/x`])
      expect(await api.call('GET', wrong)).toEqual(notFound)
  })
})

describe('editing', () => {
  test('[GATEWAY-4.7] the bot edits its text; people see it, and the bot is told nothing of its own doing', async ({
    alice,
    sent,
    talking: { api, path },
  }) => {
    const { id, ts } = await sent(api, 'first')
    // Her receipt changes the message, too: the test waits for it.
    const status = async () => (await api.ok<Message>('GET', `${path}/messages/${id}`)).status
    await expect.poll(status, SOON).toBe('delivered')
    const edited = message.parse(await api.ok('PATCH', `${path}/messages/${id}`, { text: 'second' }))
    expect(edited).toMatchObject({ id, ts, text: 'second', edited_ts: expect.any(Number) })
    expect((await alice.next('edited')).message).toMatchObject({ id, text: 'second' })
    expect(await api.ok('GET', `${path}/messages/${id}`)).toEqual(edited)
    expect(await api.ok('PATCH', `${path}/messages/${id}`, { text: null, buttons: [] })).toEqual(edited)
    expect((await api.updates()).filter(update => update.type === 'edited')).toEqual([])
  })

  test("[GATEWAY-4.7] somebody else's message cannot be edited, and one that does not exist is 404", async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const id = await heard(api, alice.say(toBot, 'mine'))
    for (const json of [{ text: 'yours' }, {}])
      expect(await api.call('PATCH', `${path}/messages/${id}`, { json })).toEqual(badRequest(/sender/))
    const unknown = `${path}/messages/${'b'.repeat(32)}`
    expect(await api.call('PATCH', unknown, { json: { text: 'x' } })).toEqual(notFound)
    expect(await api.call('PATCH', unknown, { json: {} })).toEqual(notFound)
  })

  test('[GATEWAY-4.8] mentions alone are judged by the text as it stands, and [] removes them', async ({
    alice,
    sent,
    talking: { api, path },
  }) => {
    const { id } = await sent(api, 'hello alice')
    const edit = (json: object) => api.call<Message>('PATCH', `${path}/messages/${id}`, { json })
    const mentions = [{ user: alice.id, offset: 6, length: 5 }]
    expect(await edit({ mentions })).toMatchObject({ status: 200, body: { text: 'hello alice', mentions } })
    expect((await alice.next('edited')).message).toMatchObject({ text: 'hello alice', mentions })
    const outside = [{ user: alice.id, offset: 7, length: 5 }]
    expect(await edit({ mentions: outside })).toEqual(badRequest(/^mentions\[0\]: must end within the text/))
    expect((await edit({ text: 'hello alice!', mentions: outside })).body).toMatchObject({ mentions: outside })
    expect((await alice.next('edited')).message).toMatchObject({ mentions: outside })
    const { body: plain } = await edit({ mentions: [] })
    expect(plain).toMatchObject({ text: 'hello alice!' })
    expect(plain).not.toHaveProperty('mentions')
    expect((await alice.next('edited')).message).not.toHaveProperty('mentions')
    // There is nothing to remove: nobody is notified of an edit.
    expect((await edit({ mentions: [] })).body.edited_ts).toBe(plain.edited_ts)
  })

  test('[GATEWAY-4.8] a new text without mentions has none, and mentions that cross a new text take none of it back', async ({
    alice,
    sent,
    talking: { api, path },
  }) => {
    const { id } = await sent(api, 'alice')
    const edit = (json: object) => api.ok<Message>('PATCH', `${path}/messages/${id}`, json)
    const mentions = [{ user: alice.id, offset: 0, length: 5 }]
    const [, mentioned] = await Promise.all([edit({ text: 'alice and bob' }), edit({ mentions })])
    expect(mentioned).toMatchObject({ text: 'alice and bob', mentions })
    expect(await edit({ text: 'nobody' })).not.toHaveProperty('mentions')
  })

  test('[GATEWAY-4.8] a file without a caption has no text that a mention could stand in', async ({
    alice,
    talking: { api, path },
  }) => {
    const form = new FormData()
    form.set('file', new Blob(['x']), 'x')
    const { body } = await api.call<Message>('POST', `${path}/files`, { body: form })
    const json = { mentions: [{ user: alice.id, offset: 0, length: 1 }] }
    expect(await api.call('PATCH', `${path}/messages/${body.id}`, { json })).toEqual(badRequest(/^mentions\[0\]: /))
    expect(await api.ok('PATCH', `${path}/messages/${body.id}`, { mentions: [] })).not.toHaveProperty('edited_ts')
  })

  test('[GATEWAY-4.7] after 48 hours a message cannot be edited any more', async ({ clock, world, alice, sent }) => {
    const { api, path } = await talking(world, alice, { clock })
    const { id } = await sent(api, 'old')
    // Otherwise it would announce its own time, in which no hour has passed, on the next connection.
    await world.stopRelay()
    // The message has the relay's time, which advanced while this clock stood still.
    clock.leap(49 * 3_600_000)
    expect(await api.call('PATCH', `${path}/messages/${id}`, { json: { text: 'new' } })).toEqual(badRequest(/48 hours/))
  })
})

describe('deleting', () => {
  test('[GATEWAY-4.9] for everyone: its own message is gone on both sides', async ({
    alice,
    sent,
    talking: { gateway, api, path, toBot },
  }) => {
    const { id } = await sent(api, 'oops')
    expect(await api.ok('DELETE', `${path}/messages/${id}`)).toEqual({})
    expect((await alice.next('deleted')).deleted).toEqual({
      message_id: id,
      from: { id: gateway.client.account, name: 'bot', bot: true },
    })
    expect(alice.texts(toBot)).toEqual([])
    expect(await api.call('GET', `${path}/messages/${id}`)).toEqual(notFound)
    expect(await api.call('DELETE', `${path}/messages/${id}?for=all`)).toEqual(notFound)
  })

  test("[GATEWAY-4.9] for everyone is for its own messages only; for=me removes anybody's here alone", async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const id = await heard(api, alice.say(toBot, 'keep me'))
    expect(await api.call('DELETE', `${path}/messages/${id}`)).toEqual(badRequest(/sender/))
    expect(await api.ok('DELETE', `${path}/messages/${id}?for=me`)).toEqual({})
    expect(await api.call('GET', `${path}/messages/${id}`)).toEqual(notFound)
    expect(alice.texts(toBot)).toEqual(['keep me'])
    expect(await api.call('DELETE', `${path}/messages/${id}?for=them`)).toEqual(badRequest(/^for: must be all or me/))
  })
})

test('[GATEWAY-4.10] the bot reacts, changes its mind, and takes it back', async ({
  alice,
  talking: { api, path, toBot },
}) => {
  const id = await heard(api, alice.say(toBot, 'good news'))
  const reactions = () => alice.client.messages.get(toBot, id).reactions?.map(({ emoji }) => emoji)
  for (const emoji of ['👍', '❤', '👍🏽', '🏳️‍🌈', '🇩🇪', '1️⃣', '👨🏻‍👩🏻‍👧🏻‍👦🏻', '❤️']) {
    expect(await api.ok('PUT', `${path}/messages/${id}/reaction`, { emoji })).toEqual({})
    expect((await alice.next('reaction')).reaction).toMatchObject({ message_id: id, emoji, from: { name: 'bot' } })
    expect(reactions()).toEqual([emoji])
  }
  expect((await api.ok<Message>('GET', `${path}/messages/${id}`)).reactions).toMatchObject([{ emoji: '❤️' }])
  expect(await api.ok('DELETE', `${path}/messages/${id}/reaction`)).toEqual({})
  expect((await alice.next('reaction')).reaction).toMatchObject({ message_id: id, emoji: '' })
  expect(reactions() ?? []).toEqual([])
  const unknown = `${path}/messages/${'b'.repeat(32)}/reaction`
  expect(await api.call('PUT', unknown, { json: { emoji: '👍' } })).toEqual(notFound)
  expect(await api.call('DELETE', unknown)).toEqual(notFound)
})

test('[GATEWAY-4.11] people see their messages as delivered until the bot has read them', async ({
  alice,
  talking: { api, path, toBot },
}) => {
  const ids: MessageId[] = []
  for (const text of ['one', 'two', 'three']) ids.push(await heard(api, alice.say(toBot, text)))
  const statuses = () => ids.map(id => alice.client.messages.get(toBot, id).status)
  const unread = async () => (await api.ok<{ unread: number }>('GET', path)).unread
  await expect.poll(statuses, SOON).toEqual(['delivered', 'delivered', 'delivered'])
  expect(await unread()).toBe(3)
  expect(await api.ok('POST', `${path}/read`, { up_to: ids[1] ?? '' })).toEqual({})
  await expect.poll(statuses, SOON).toEqual(['read', 'read', 'delivered'])
  expect(await unread()).toBe(1)
  expect(await api.ok('POST', `${path}/read`)).toEqual({})
  await expect.poll(statuses, SOON).toEqual(['read', 'read', 'read'])
  expect(await unread()).toBe(0)
  expect(await api.call('POST', `${path}/read`, { json: { up_to: 'b'.repeat(32) } })).toEqual(notFound)
})

test("[GATEWAY-4.11] the bot's own messages show when they were delivered and read", async ({
  alice,
  sent,
  talking: { api, path, toBot },
}) => {
  const { id, status } = await sent(api, 'for you')
  expect(status).toBe('sent')
  const now = async () => (await api.ok<Message>('GET', `${path}/messages/${id}`)).status
  await expect.poll(now, SOON).toBe('delivered')
  await alice.client.messages.markRead(toBot)
  await expect.poll(now, SOON).toBe('read')
})

describe('Idempotency-Key', () => {
  test('[GATEWAY-4.12] the same key gives the first outcome, and nothing is sent twice', async ({
    alice,
    send,
    sent,
    talking: { api, toBot },
  }) => {
    const first = await send(api, { text: 'once' }, 'k 1')
    const again = await send(api, { mentions: null, text: 'once', unknown: 1 }, 'k 1')
    // Between the two she may have received it.
    expect([first.status, again]).toEqual([200, { ...first, body: { ...first.body, status: again.body['status'] } }])
    const both = await Promise.all([1, 2, 3].map(() => send(api, { text: 'at once' }, 'k 2')))
    expect(new Set(both.map(({ body }) => body['id'])).size).toBe(1)
    await sent(api, 'the end')
    expect(alice.texts(toBot)).toEqual(['once', 'at once', 'the end'])
  })

  test('[GATEWAY-4.12] a send in doubt is found by the same key, and was sent once', async ({
    clock,
    world,
    alice,
    send,
  }) => {
    const { gateway, api, toBot } = await talking(world, alice, { clock })
    const pass = gateway.wire.incoming
    // The relay accepts the message, and its answer is lost.
    gateway.wire.incoming = () => []
    const doubtful = send(api, { text: 'in doubt' }, 'doubt')
    const { id } = await alice.hears('in doubt')
    clock.advance(gatewayLimits.sendWithinMs)
    expect(await doubtful).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    gateway.wire.incoming = pass
    gateway.wire.drop()
    await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
    const found = await send(api, { text: 'in doubt' }, 'doubt')
    expect(found).toMatchObject({ status: 200, body: { id } })
    expect(alice.texts(toBot)).toEqual(['in doubt'])
  })

  test('[GATEWAY-4.12] the same key with another request is 400', async ({ alice, send, talking: { api } }) => {
    await send(api, { text: 'one' }, 'key')
    expect(await send(api, { text: 'two' }, 'key')).toEqual(badRequest(/^Idempotency-Key: .*a different request/))
    const group = { json: { name: 'g', members: [alice.id] }, headers: { 'idempotency-key': 'key' } }
    expect(await api.call('POST', '/v1/groups', group)).toEqual(badRequest(/^Idempotency-Key: .*a different request/))
  })

  test('[GATEWAY-4.12] the refusal names the message of the first request', async ({
    alice,
    send,
    talking: { api, gateway },
  }) => {
    const { body: first } = await send(api, { text: 'one' }, 'key')
    const again = await fetch(`${gateway.url}/v1/chats/${alice.id}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'key',
      },
      body: JSON.stringify({ text: 'two' }),
    })
    expect([again.status, again.headers.get('idempotency-message')]).toEqual([400, first['id']])
    await again.body?.cancel()
  })

  test('[GATEWAY-4.12] a group is made once', async ({ alice, talking: { api } }) => {
    const make = () =>
      api.call('POST', '/v1/groups', {
        json: { name: 'g', members: [alice.id] },
        headers: { 'idempotency-key': 'group' },
      })
    const first = await make()
    expect([first.status, (await make()).body['id']]).toEqual([200, first.body['id']])
    expect(await api.ok<unknown[]>('GET', '/v1/chats')).toHaveLength(2)
  })

  test('[GATEWAY-4.12] a key survives a restart of the gateway', async ({ world, send, talking: { gateway, api } }) => {
    const first = await send(api, { text: 'once' }, 'lasting')
    await world.closeGateway(gateway)
    const { api: next } = await onlineGateway(world)
    expect((await send(next, { text: 'once' }, 'lasting')).body['id']).toBe(first.body['id'])
  })

  test.for(['', 'x'.repeat(256)])('[GATEWAY-4.12] a key of %j is 400', async (key, { send, talking: { api } }) => {
    expect(await send(api, { text: 'x' }, key)).toEqual(badRequest(/^idempotency-key: must have 1 to 255 bytes/))
  })
})

describe('what people do', () => {
  test('[GATEWAY-4.13] edits, deletions and reactions of people are updates of their types', async ({
    alice,
    talking: { api, toBot },
  }) => {
    const from = { id: alice.id, name: 'alice' }
    const id = await heard(api, alice.say(toBot, 'frist'))
    await alice.client.messages.edit(toBot, { message: id, text: 'first' }, WITHIN)
    expect((await api.next('edited')).message).toMatchObject({ id, text: 'first', from, edited_ts: expect.any(Number) })
    await alice.client.messages.react(toBot, { message: id, emoji: '🎉' }, WITHIN)
    expect((await api.next('reaction')).reaction).toEqual({ message_id: id, from, emoji: '🎉' })
    await alice.client.messages.react(toBot, { message: id, emoji: '' }, WITHIN)
    expect((await api.next('reaction')).reaction).toEqual({ message_id: id, from, emoji: '' })
    await alice.client.messages.delete(toBot, { message: id, for: 'all' }, WITHIN)
    expect((await api.next('deleted')).deleted).toEqual({ message_id: id, from })
  })

  test('[GATEWAY-4.13] what was deleted is stripped from updates that wait', async ({
    alice,
    talking: { api, toBot },
  }) => {
    const { id } = await alice.say(toBot, 'a secret')
    await expect.poll(async () => (await api.updates()).some(update => update.type === 'message'), SOON).toBe(true)
    await alice.client.messages.delete(toBot, { message: id, for: 'all' }, WITHIN)
    await expect.poll(async () => (await api.updates()).some(update => update.type === 'deleted'), SOON).toBe(true)
    expect(JSON.stringify(await api.updates())).not.toContain('a secret')
  })

  test('[GATEWAY-4.13] a disappearing message is erased once its time since reading is over', async ({
    clock,
    world,
    alice,
  }) => {
    const { api, path, toBot } = await talking(world, alice, { clock })
    await alice.client.chats.setTimer(toBot, 60_000, WITHIN)
    const id = await heard(api, alice.say(toBot, 'burn after reading'))
    clock.leap(3_600_000)
    expect((await api.call('GET', `${path}/messages/${id}`)).status).toBe(200)
    await api.ok('POST', `${path}/read`, { up_to: id })
    clock.advance(60_001)
    expect((await api.next('expired')).expired).toEqual([id])
    expect(await api.call('GET', `${path}/messages/${id}`)).toEqual(notFound)
  })

  test('[GATEWAY-4.15] a call to the bot is declined by itself, and a notice says so', async ({
    alice,
    talking: { api, toBot },
  }) => {
    await alice.client.messages.call(toBot, WITHIN)
    expect((await api.next('notice')).notice).toMatchObject({ code: 'call_declined', from: { id: alice.id } })
    expect((await alice.next('notice')).notice).toMatchObject({ code: 'call_declined' })
  })
})
