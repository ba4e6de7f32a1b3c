// `postern person` in polls and at the buttons of a bot, with two people and a gateway.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Update } from '@postern/bot-api/events'
import type { Message, Poll } from '@postern/bot-api/objects'
import { WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { ScriptedPerson } from './scripted-person.ts'

type Line = Record<string, unknown>
type Asked = Message & { poll: Poll }

async function heard(who: ScriptedPerson, event: string, is: (message: Asked) => boolean): Promise<Asked> {
  return (await who.line(line => line.event === event && is(line['message'] as Asked)))['message'] as Asked
}

const tally = ({ poll }: Asked) => poll.options.map(({ votes }) => votes)

const test = base
  .extend('gateway', { scope: 'file' }, ({ world }) => world.gateway())
  .extend('bot', { scope: 'file' }, ({ gateway }) => gateway.client.account)
  .extend(
    'person',
    ({ world }) =>
      (name: string) =>
        new ScriptedPerson(['--relay', world.relayUrl, '--data', join(world.directory, name), '--name', name]),
  )
  /** A group of two people and the bot. */
  .extend('group', ({ bot, gateway }) => async (alice: ScriptedPerson, bob: ScriptedPerson): Promise<string> => {
    await alice.ready()
    const { id } = await bob.ready()
    for (const who of [alice, bob]) await who.do('open', { invite: gateway.client.identity.me().inviteUrl })
    const made = await alice.do('group', { name: 'all', members: [id, bot] })
    await bob.line(line => line.event === 'chat' && line['chat_id'] === made['id'])
    return made['id'] as string
  })
  .extend(
    'updates',
    ({ gateway }) =>
      async <Type extends Update['type']>(type: Type): Promise<Extract<Update, { type: Type }>[]> => {
        const { body } = await gateway.api<Update[]>('GET', '/v1/updates?limit=100')
        return body.filter(update => update.type === type) as Extract<Update, { type: Type }>[]
      },
  )

test.beforeAll(async ({ gateway }) => {
  await gateway.client.whenOnline(WITHIN)
})

test('[CLI-2.11] a poll is asked, voted in, counted alike by everybody, and closed by who asked it', async ({
  person,
  group,
  gateway,
  updates,
}) => {
  await using alice = person('alice')
  await using bob = person('bob')
  const chat = await group(alice, bob)
  const asked = (await alice.do('poll', { chat, question: 'Lunch?', options: ['yes', 'no'] })) as unknown as Asked
  expect(asked.poll).toMatchObject({ question: 'Lunch?', multiple: false, closed: false, voted: [] })
  expect((await heard(bob, 'message', ({ id }) => id === asked.id)).poll.options).toHaveLength(2)
  const message = asked.id
  expect(await bob.do('vote', { chat, message, options: [1] })).toEqual({})
  await expect.poll(async () => (await gateway.api('GET', `/v1/chats/${chat}/messages/${message}`)).status).toBe(200)
  expect(await gateway.api('POST', `/v1/chats/${chat}/messages/${message}/vote`, { options: [0] })).toMatchObject({
    status: 200,
  })
  expect((await heard(alice, 'poll', poll => tally(poll).join() === '1,1')).poll.voted).toEqual([])
  expect(await bob.do('vote', { chat, message, options: [] })).toEqual({})
  await heard(alice, 'poll', poll => tally(poll).join() === '1,0')

  expect(await alice.ask('vote', { chat, message, options: [0, 1] })).toMatchObject({ code: 'bad_request' })
  expect(await bob.ask('vote', { chat, message, options: [2] })).toMatchObject({
    error: expect.stringMatching(/^options: /),
  })
  expect(await bob.ask('close', { chat, message })).toMatchObject({ code: 'bad_request' })
  expect(await alice.do('close', { chat, message })).toEqual({})
  expect(tally(await heard(bob, 'poll', ({ poll }) => poll.closed))).toEqual([1, 0])
  await expect.poll(async () => (await updates('poll')).some(update => update.message.poll?.closed)).toBe(true)
  expect(await bob.ask('vote', { chat, message, options: [0] })).toMatchObject({ code: 'bad_request' })
  expect(await alice.ask('close', { chat, message })).toMatchObject({ code: 'bad_request' })
  expect(await alice.ask('edit', { chat, message, text: 'Dinner?' })).toMatchObject({ code: 'bad_request' })
})

test('[CLI-2.11] the rules of a poll are said under the name of their field; one with a time closes by itself', async ({
  person,
  group,
}) => {
  await using alice = person('erin')
  await using bob = person('frank')
  const chat = await group(alice, bob)
  const ask = (fields: object) => alice.ask('poll', { chat, question: 'When?', options: ['now', 'later'], ...fields })
  for (const [field, value] of Object.entries({ question: ' ', options: ['one'], multiple: 'yes', close_ts: 1 }))
    expect(await ask({ [field]: value })).toMatchObject({ error: expect.stringMatching(new RegExp(`^${field}`)) })
  const several = await alice.do('poll', { chat, question: 'Which?', options: ['a', 'b', 'c'], multiple: true })
  await heard(bob, 'message', ({ id }) => id === several['id'])
  await bob.do('vote', { chat, message: several['id'], options: [2, 0] })
  await heard(alice, 'poll', poll => tally(poll).join() === '1,0,1')
  const brief = await askedBriefly(afterMs => alice.ask('poll', { chat, ...quick, close_ts: Date.now() + afterMs }))
  for (const who of [alice, bob]) await heard(who, 'poll', ({ id, poll }) => id === brief['id'] && poll.closed)
  expect(await ask({ close_ts: 0 })).toHaveProperty('ok')
})

const quick = { question: 'Quick?', options: ['a', 'b'] }

/** On a machine so busy that the time is over before the line is read, it is asked again with more time. */
async function askedBriefly(ask: (afterMs: number) => Promise<Line>): Promise<Line> {
  for (let afterMs = 1000; ; afterMs *= 2) {
    const { ok, error } = await ask(afterMs)
    if (ok !== undefined) return ok as Line
    expect(error).toMatch(/^close_ts: /)
  }
}

test('[CLI-2.12] a press reaches the bot alone, and its toast the presser alone', async ({
  person,
  group,
  gateway,
  updates,
}) => {
  await using alice = person('carol')
  await using bob = person('dave')
  const chat = await group(alice, bob)
  await expect.poll(async () => (await gateway.api('GET', `/v1/chats/${chat}`)).status).toBe(200)
  const buttons = [[{ text: 'Yes', data: 'yes' }], [{ text: 'Help', url: 'https://example.org' }]]
  const { body: shown } = await gateway.api<Message>('POST', `/v1/chats/${chat}/messages`, { text: 'Go?', buttons })
  for (const who of [alice, bob])
    expect(await heard(who, 'message', ({ id }) => id === shown.id)).toMatchObject({ buttons })
  const pressed = await alice.do('press', { chat, message: shown.id, data: 'yes' })
  const press = pressed['press_id'] as string
  const isIt = (update: { button: { press_id: string } }) => update.button.press_id === press
  await expect.poll(async () => (await updates('button')).find(isIt)?.button).toMatchObject({ data: 'yes' })
  const answer = await gateway.api('POST', `/v1/presses/${press}/answer`, { text: 'Gone.' })
  expect(answer.status).toBe(200)
  const toast = await alice.line(line => line.event === 'toast')
  expect(toast).toEqual({ event: 'toast', chat_id: chat, toast: { press_id: press, text: 'Gone.' } })

  expect(await alice.ask('press', { chat, message: shown.id, data: 'no' })).toMatchObject({
    error: expect.stringMatching(/^data: /),
  })
  const { id: own } = await bob.do('send', { chat, text: 'no button here' })
  await heard(alice, 'message', ({ id }) => id === own)
  expect(await alice.ask('press', { chat, message: own, data: 'yes' })).toMatchObject({
    error: expect.stringMatching(/^message: /),
  })
  const told = (line: Line) => line['event'] === 'toast' || line['event'] === 'button'
  expect(bob.lines.filter(told)).toEqual([])
  expect(alice.lines.filter(told)).toEqual([toast])
})

test('[CLI-2.7] files go to the bot and come from it', async ({ world, bot, person, gateway }) => {
  await using alice = person('gina')
  await alice.ready()
  await alice.do('open', { invite: gateway.client.identity.me().inviteUrl })
  const path = join(import.meta.dirname, 'png.ts')
  const sent = (await alice.do('file', { chat: bot, path, caption: 'for you' })) as unknown as Message
  const me = (await alice.do('me'))['id'] as string
  const chatUrl = new URL(`/v1/chats/${me}/`, gateway.url)
  await expect
    .poll(async () => (await gateway.api('GET', `/v1/chats/${me}/messages/${sent.id}`)).body)
    .toMatchObject({ text: 'for you', file: { name: 'png.ts', size: sent.file?.size } })
  const authorization = { authorization: `Bearer ${gateway.token}` }
  const fetched = await fetch(new URL(`messages/${sent.id}/file`, chatUrl), { headers: authorization })
  const form = new FormData()
  form.append('file', new Blob([await fetched.arrayBuffer()]), 'back.ts')
  const answer = await fetch(new URL('files', chatUrl), { method: 'POST', headers: authorization, body: form })
  const { id: message } = (await answer.json()) as Message
  await heard(alice, 'message', ({ id }) => id === message)
  const copy = join(world.directory, 'back.ts')
  await alice.do('download', { chat: bot, message, path: copy })
  expect(readFileSync(copy)).toEqual(readFileSync(path))
})
