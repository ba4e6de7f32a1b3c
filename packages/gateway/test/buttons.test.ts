// Buttons end to end: under texts and captions, pressed by people, answered to the presser alone.
import { message } from '@postern/bot-api'
import type { MessageId } from '@postern/protocol'
import { decodeRelayFrame, type MailboxEntry } from '@postern/protocol/relay'
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'
import { sendForm, sentFile } from './send-form.ts'
import { badRequest, grouped, notFound, sees, talking } from './talking.ts'
import { unknownId } from './wrong-bodies.ts'

const yesNo = [
  [
    { text: 'Yes', data: 'y' },
    { text: 'No', data: 'n' },
  ],
  [{ text: 'Why?', url: 'https://example.org/why?a=b#c' }],
]

async function offered(api: Api, path: string, buttons: object = yesNo): Promise<{ id: MessageId }> {
  return message.parse(await api.ok('POST', `${path}/messages`, { text: 'Well?', buttons }))
}

describe('buttons', () => {
  test('[GATEWAY-9.1] stand under a text, for the bot and for people', async ({ alice, talking: { api, path } }) => {
    const { id } = await offered(api, path)
    expect((await sees(alice, { id })).buttons).toEqual(yesNo)
    expect(await api.ok('GET', `${path}/messages/${id}`)).toMatchObject({ buttons: yesNo })
    const plain = await api.ok('POST', `${path}/messages`, { text: 'none', buttons: [] })
    expect(plain).not.toHaveProperty('buttons')
  })

  test('[GATEWAY-9.7] a file has buttons and mentions, as JSON texts of its form, and its buttons can be pressed', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const mentions = [{ user: alice.id, offset: 4, length: 5 }]
    const fields = { caption: 'For alice', mentions: JSON.stringify(mentions), buttons: JSON.stringify(yesNo) }
    const sent = await sentFile(api, path, 'bytes', { fields, key: 'once' })
    expect(sent).toMatchObject({ text: 'For alice', mentions, buttons: yesNo })
    expect(await sees(alice, sent)).toMatchObject({ mentions, buttons: yesNo, file: { kind: 'file' } })
    await alice.client.messages.press(toBot, { message: sent.id, data: 'y' }, WITHIN)
    expect((await api.next('button')).button).toMatchObject({ message_id: sent.id, data: 'y' })
    // They are a part of the request under a key.
    expect((await sentFile(api, path, 'bytes', { fields, key: 'once' })).id).toBe(sent.id)
    const others = { ...fields, buttons: '' }
    expect((await sendForm(api, path, 'bytes', { fields: others, key: 'once' })).status).toBe(400)
    const marked = { ...fields, caption: '**For** alice', mentions: JSON.stringify([{ ...mentions[0], offset: 8 }]) }
    const formatted = await sentFile(api, path, 'bytes', { fields: { ...marked, format: 'markdown' } })
    expect(formatted).toMatchObject({ text: 'For alice', mentions })
    expect(await sentFile(api, path, 'bytes')).not.toHaveProperty('buttons')
  })

  test.for<[Record<string, string>, string]>([
    [{ buttons: 'no' }, 'buttons: must be an array of rows.'],
    [{ buttons: '{}' }, 'buttons: must be an array of rows.'],
    [{ buttons: '[[{"text":"x"}]]' }, 'buttons[0][0]: must have either data or url.'],
    [{ mentions: '[' }, 'mentions: must be an array.'],
    [{ mentions: `[{"user":"${unknownId}","offset":0,"length":1}]` }, 'mentions[0]: must end within the text.'],
    [
      { caption: 'ab', mentions: `[{"user":"${unknownId}","offset":1,"length":2}]` },
      'mentions[0]: must end within the text.',
    ],
  ])('[GATEWAY-9.7] a file with the fields %j: 400, and nothing is sent', async ([fields, sentence], { talking }) => {
    const { api, path } = talking
    expect(await sendForm(api, path, 'bytes', { fields })).toEqual(badRequest(sentence))
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  })

  test('[GATEWAY-9.7] a poll has buttons, and mentions in its question, before and after a vote', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const mentions = [{ user: alice.id, offset: 7, length: 5 }]
    const asked = { question: 'Lunch, alice?', options: ['yes', 'no'], mentions, buttons: yesNo }
    const sent = message.parse(await api.ok('POST', `${path}/polls`, asked))
    expect(sent).toMatchObject({ mentions, buttons: yesNo, poll: { question: 'Lunch, alice?' } })
    expect(await sees(alice, sent)).toMatchObject({ mentions, buttons: yesNo })
    await alice.client.messages.vote(toBot, { message: sent.id, options: [0] }, WITHIN)
    expect((await api.next('poll')).message).toMatchObject({ mentions, buttons: yesNo })
    await alice.client.messages.press(toBot, { message: sent.id, data: 'n' }, WITHIN)
    expect((await api.next('button')).button).toMatchObject({ message_id: sent.id, data: 'n' })
    const plain = await api.ok('POST', `${path}/polls`, {
      question: 'Q',
      options: ['a', 'b'],
      mentions: [],
      buttons: [],
    })
    expect(plain).not.toHaveProperty('buttons')
    expect(plain).not.toHaveProperty('mentions')
  })

  test('[GATEWAY-9.1] the scheme of an address may be written in any letters', async ({
    alice,
    talking: { api, path },
  }) => {
    const { id } = await offered(api, path, [[{ text: 'Why?', url: 'HTTPS://Example.org/Why' }]])
    expect((await sees(alice, { id })).buttons).toEqual([[{ text: 'Why?', url: 'https://Example.org/Why' }]])
    await api.ok('PATCH', `${path}/messages/${id}`, { buttons: [[{ text: 'How?', url: 'hTTps://example.org' }]] })
    expect((await alice.next('edited')).message.buttons).toEqual([[{ text: 'How?', url: 'https://example.org' }]])
  })

  test('[GATEWAY-9.1] the limits are exact', async ({ talking: { api, path } }) => {
    const largest = { text: '🎉'.repeat(64), data: `${'€'.repeat(21)}x` }
    const url = { text: 'x', url: `https://${'a'.repeat(2040)}` }
    const six = [
      [largest, largest],
      [largest, largest],
      [largest, url],
    ]
    expect(await api.ok('POST', `${path}/messages`, { text: 'x', buttons: six })).toMatchObject({ buttons: six })
    const right = { text: 'x', data: 'y' }
    const wrong: [object, string | RegExp][] = [
      [[[right], [right], [right], [right]], 'buttons: must have at most 3 rows.'],
      [[[right, right, right]], 'buttons[0]: must have 1 to 2 buttons.'],
      [[[right], []], 'buttons[1]: must have 1 to 2 buttons.'],
      [[[{ ...right, text: '' }]], 'buttons[0][0].text: must have 1 to 64 characters.'],
      [[[{ ...right, text: 'x'.repeat(65) }]], 'buttons[0][0].text: must have 1 to 64 characters.'],
      [[[{ ...right, data: `${'€'.repeat(21)}xy` }]], 'buttons[0][0].data: must have 1 to 64 bytes of UTF-8.'],
      [[[right, { ...right, data: '' }]], 'buttons[0][1].data: must have 1 to 64 bytes of UTF-8.'],
      [[[{ text: 'x' }]], 'buttons[0][0]: must have either data or url.'],
      [[[{ ...right, url: 'https://a.b' }]], 'buttons[0][0]: must have either data or url.'],
      [[[{ text: 'x', url: `${url.url}a` }]], /^buttons\[0\]\[0\]\.url: must be an https:/],
    ]
    for (const [buttons, sentence] of wrong)
      expect(await api.call('POST', `${path}/messages`, { json: { text: 'x', buttons } })).toEqual(badRequest(sentence))
  })

  test.for([
    'http://example.org',
    'javascript:alert(1)',
    'HTTPS//x',
    'https://',
    'https:// example.org',
    'https://example.org/\u202egnp.exe',
    'https://example.org/a\nb',
    'https://[',
    'example.org',
  ])('[GATEWAY-9.1] the url %j: 400', async (url, { talking: { api, path } }) => {
    const answer = await api.call('POST', `${path}/messages`, { json: { text: 'x', buttons: [[{ text: 'x', url }]] } })
    expect(answer).toEqual(badRequest(/^buttons\[0\]\[0\]\.url: must be an https:\/\/ address/))
  })

  test('[GATEWAY-9.2] an edit replaces them, [] removes them, and what is omitted stays', async ({
    alice,
    talking: { api, path },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    const edit = async (json: object) => {
      const edited = message.parse(await api.ok('PATCH', `${path}/messages/${id}`, json))
      const { text, buttons } = (await alice.next('edited')).message
      expect({ text, buttons }).toEqual({ text: edited.text, buttons: edited.buttons })
      return { text, buttons }
    }
    expect(await edit({ text: 'So?' })).toEqual({ text: 'So?', buttons: yesNo })
    const only = [[{ text: 'Only', data: 'o' }]]
    expect(await edit({ text: null, buttons: only })).toEqual({ text: 'So?', buttons: only })
    expect(await edit({ text: 'Fine', buttons: null })).toEqual({ text: 'Fine', buttons: only })
    expect(await edit({ buttons: [] })).toEqual({ text: 'Fine', buttons: undefined })
    const answer = await api.call('PATCH', `${path}/messages/${id}`, { json: { text: '' } })
    expect(answer).toEqual(badRequest(/^text: must have 1 to 4096 characters/))
  })

  const inRelayTime = test.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

  inRelayTime(
    '[GATEWAY-9.2] a message with buttons can be edited at any time, one without for 48 hours',
    async ({ clock, world, alice }) => {
      const { gateway, api: before, path } = await talking(world, alice, { clock })
      const { id } = await offered(before, path)
      // A connection to the relay would not survive the leap.
      await world.closeGateway(gateway)
      clock.advance(49 * 3_600_000)
      const { api } = await onlineGateway(world, {}, { clock })
      const edit = async (json: object) => await api.call('PATCH', `${path}/messages/${id}`, { json })
      expect((await edit({ text: 'still' })).body).toMatchObject({ text: 'still', buttons: yesNo })
      expect((await edit({ buttons: [] })).body).toMatchObject({ text: 'still' })
      expect(await edit({ text: 'no' })).toEqual(badRequest(/48 hours/))
    },
  )
})

describe('presses', () => {
  test('[GATEWAY-9.3] a press is a button update with its data and its id', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    const press = await alice.client.messages.press(toBot, { message: id, data: 'n' }, WITHIN)
    const update = await api.next('button')
    expect(update).toEqual({
      id: expect.any(Number),
      type: 'button',
      chat_id: alice.id,
      button: { message_id: id, from: { id: alice.id, name: 'alice' }, data: 'n', press_id: press },
    })
  })

  test("[GATEWAY-9.3] in a group a press reaches the bot alone: nothing on another member's wire or in its journal", async ({
    alice,
    bob,
    talking: { api },
  }) => {
    const { path, chat } = await grouped(api, [alice, bob])
    const { id } = await offered(api, path)
    for (const person of [alice, bob]) await sees(person, { id })
    const before = bob.client.journal.read(0, 1000).length
    // Entries for one member alone; those for all, such as a new name, arrive at any time.
    const forOne: MailboxEntry[] = []
    bob.wire.incoming = bytes => {
      const frame = decodeRelayFrame(bytes.slice())
      if (frame.kind === 'deliver') forOne.push(...frame.entries.filter(({ kind }) => kind === 'direct'))
      return [bytes]
    }
    const press = await alice.client.messages.press(chat, { message: id, data: 'y' }, WITHIN)
    expect((await api.next('button')).button).toMatchObject({ press_id: press, from: { name: 'alice' } })
    await api.ok('POST', `/v1/presses/${press}/answer`, { text: 'Noted' })
    expect((await alice.next('toast')).toast).toEqual({ press_id: press, text: 'Noted' })
    await api.ok('POST', `${path}/messages`, { text: 'to all' })
    await bob.hears('to all')
    expect(forOne).toEqual([])
    const told = bob.client.journal.read(0, 1000).slice(before)
    const types = told.map(({ json }) => (JSON.parse(json) as { type: string }).type)
    expect(types.filter(type => type !== 'chat')).toEqual(['message'])
    // Any member can press.
    await bob.client.messages.press(chat, { message: id, data: 'n' }, WITHIN)
    expect((await api.next('button')).button).toMatchObject({ data: 'n', from: { name: 'bob' } })
  })

  test('[GATEWAY-9.4] the answer is shown to the presser alone, once, and may be empty', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    for (const text of ['🎉'.repeat(200), '']) {
      const press = await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
      await api.next('button')
      const answer = async () => await api.call('POST', `/v1/presses/${press}/answer`, { json: { text } })
      expect(await answer()).toEqual({ status: 200, body: {} })
      expect((await alice.next('toast')).toast).toEqual({ press_id: press, text })
      expect(await answer()).toEqual(badRequest('The press has already been answered.'))
    }
    expect(alice.texts(toBot)).toEqual(['Well?'])
    expect((await api.updates()).filter(({ type }) => type === 'message')).toEqual([])
  })

  test('[GATEWAY-9.4] under one key an answer is given once, and asked for again it was given', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    const press = await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
    await api.next('button')
    const answer = (text: string, key: string) =>
      api.call('POST', `/v1/presses/${press}/answer`, { json: { text }, headers: { 'idempotency-key': key } })
    expect(await answer('yes', 'k')).toEqual({ status: 200, body: {} })
    expect(await answer('yes', 'k')).toEqual({ status: 200, body: {} })
    expect(await answer('no', 'k')).toEqual(badRequest(/a different request/))
    expect(await answer('yes', 'other')).toEqual(badRequest('The press has already been answered.'))
    expect((await alice.next('toast')).toast.text).toBe('yes')
  })

  test('[GATEWAY-9.4] of several answers at once only one is shown', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    const press = await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
    await api.next('button')
    const answers = await Promise.all(
      ['a', 'b', 'c'].map(text => api.call('POST', `/v1/presses/${press}/answer`, { json: { text } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2)
  })

  test('[GATEWAY-9.4] after a minute it is too late, and a press that never was is 404', async ({
    clock,
    world,
    alice,
  }) => {
    const { api, path, toBot } = await talking(world, alice, { clock })
    const { id } = await offered(api, path)
    await sees(alice, { id })
    const pressed = async () => {
      await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
      return (await api.next('button')).button.press_id
    }
    const answer = async (press: string) =>
      await api.call('POST', `/v1/presses/${press}/answer`, { json: { text: 'late' } })
    const late = await pressed()
    // Far more than a minute: the press has the relay's time, which advanced while this clock stood still.
    clock.leap(3_600_000)
    expect(await answer(late)).toEqual(badRequest('The press is older than one minute and can no longer be answered.'))
    for (const press of ['x', 'b'.repeat(26), alice.id])
      expect(await answer(press)).toEqual(notFound(/^There is no press/))
    const long = await api.call('POST', `/v1/presses/${late}/answer`, { json: { text: 'x'.repeat(201) } })
    expect(long).toEqual(badRequest('text: must have at most 200 characters.'))
  })

  test('[GATEWAY-9.4] a restart of the gateway does not forget a press', async ({
    world,
    alice,
    talking: { gateway, api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    const press = await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
    await api.next('button')
    await world.closeGateway(gateway)
    const again = await world.gateway()
    await again.client.whenOnline(WITHIN)
    expect(await again.api('POST', `/v1/presses/${press}/answer`, { text: 'here' })).toEqual({ status: 200, body: {} })
    expect((await alice.next('toast')).toast.text).toBe('here')
  })

  test('[GATEWAY-9.6] a press of a button that an edit has just taken away still arrives', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    // The edit is on its way to her.
    alice.wire.hold()
    await api.ok('PATCH', `${path}/messages/${id}`, { text: 'Over.', buttons: [] })
    const pressing = alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
    expect((await api.next('button')).button).toMatchObject({ message_id: id, data: 'y' })
    alice.wire.release()
    await pressing
    await alice.next('edited')
    await expect(alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)).rejects.toThrow(
      /^data: must be the data of a button/,
    )
  })

  test('[GATEWAY-9.6] a press of a message that was deleted meanwhile is nobody’s business', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    alice.wire.hold()
    await api.ok('DELETE', `${path}/messages/${id}`)
    const pressing = alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
    // The relay has it after the deletion, and the bot receives both in this order.
    const isAnswer = (frame: Uint8Array) => decodeRelayFrame(frame.slice()).kind === 'answer'
    await expect.poll(() => alice.wire.held.some(isAnswer), SOON).toBe(true)
    alice.wire.release()
    await pressing.catch(() => undefined)
    await alice.say(toBot, 'the end')
    await api.next('message')
    expect((await api.updates()).filter(({ type }) => type === 'button')).toEqual([])
  })

  test('[GATEWAY-9.6] only buttons with data can be pressed, and only under messages of bots', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await offered(api, path)
    await sees(alice, { id })
    const press = async (target: string, data: string) =>
      await alice.client.messages.press(toBot, { message: target as MessageId, data }, WITHIN)
    await expect(press(id, 'https://example.org/why?a=b#c')).rejects.toThrow(/^data: /)
    await expect(press(id, 'other')).rejects.toThrow(/^data: /)
    const mine = await alice.say(toBot, 'mine')
    await expect(press(mine.id, 'y')).rejects.toThrow(/message: must be a message from a bot/)
  })
})
