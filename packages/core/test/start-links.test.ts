// Start links of a bot: the payload comes from the bot's own records, and only for a link that still holds.
import { clientLimits, isStartLink, utf8 } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { ManualClock, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { hello } from '../src/kinds/hello.ts'
import { newDraft } from '../src/outbox/compose.ts'
import { sendContent } from '../src/outbox/send-content.ts'
import { coreOf, deadlineOf } from './hostile/modified-client.ts'

const HOUR_MS = 3_600_000
const strict = { acceptRequests: 'contacts', bot: true } as const

const test = base
  .extend('bot', ({ world }) => world.person('bot', { bot: true }))
  .extend('strictBot', ({ world }) => world.person('strict', strict))

/** The next message of a person: its text, and the link by which it came. */
async function heardFrom(bot: TestPerson, person: TestPerson): Promise<[text: string | undefined, id?: string]> {
  const { message } = await bot.next('message', event => event.message.from.id === person.id)
  return message.invite ? [message.text, message.invite.id] : [message.text]
}

/** A client of its own that sends any content with the token of a link. */
async function sends(
  person: TestPerson,
  bot: TestPerson,
  { body, url }: { body: Parameters<typeof newDraft>[1]; url?: string },
): Promise<void> {
  const draft = newDraft(coreOf(person), body, url && parseInvite(url).token)
  await sendContent(coreOf(person), bot.chatId, { draft, deadline: deadlineOf(person) })
}

const usedOf = (bot: TestPerson): number[] => bot.client.invites.list().map(({ used }) => used)

test('[CORE-16.17] the press at a start link sends /start, and its maker reads the payload behind it', async ({
  alice,
  bob,
  bot,
}) => {
  const { id, url } = await bot.client.invites.create({ payload: 'ticket-4711' })
  expect(isStartLink(url)).toBe(true)
  expect(isStartLink(bot.client.identity.me().inviteUrl)).toBe(false)
  expect(url).not.toContain('ticket-4711')
  await alice.openInvite(url)
  const { message } = await bot.next('message')
  expect(message).toMatchObject({ text: '/start ticket-4711', invite: { id, payload: 'ticket-4711' } })
  expect(bot.client.messages.get(alice.chatId, message.id).invite).toEqual({ id, payload: 'ticket-4711' })
  expect(alice.client.messages.get(bot.chatId, message.id)).toMatchObject({ text: '/start', id: message.id })
  // In a chat that exists, too.
  await bob.openInvite(bot.client.identity.me().inviteUrl)
  await bob.say(bot, 'hello')
  expect(await heardFrom(bot, bob)).toEqual(['hello'])
  await bob.openInvite(url)
  expect(await heardFrom(bot, bob)).toEqual(['/start ticket-4711', id])
  expect(bob.texts(bot)).toEqual(['hello', '/start'])
})

test('[CORE-16.17] under one key the press sends once', async ({ alice, bot }) => {
  const { id, url } = await bot.client.invites.create({ payload: 'once' })
  const idempotency = { key: 'a press', request: utf8(url) }
  for (const _ of [1, 2]) await alice.client.chats.open(parseInvite(url), { ...WITHIN, idempotency })
  await alice.say(bot, 'a mark')
  expect(await heardFrom(bot, alice)).toEqual(['/start once', id])
  expect(await heardFrom(bot, alice)).toEqual(['a mark'])
})

test('[CORE-16.18] a person counts once, and the last use closes the link to others', async ({ alice, bob, bot }) => {
  const { id, url } = await bot.client.invites.create({ payload: 'one', uses: 1 })
  await alice.openInvite(url)
  expect(await heardFrom(bot, alice)).toEqual(['/start one', id])
  await bob.openInvite(url)
  expect(await heardFrom(bot, bob)).toEqual(['/start'])
  await alice.openInvite(url)
  expect(await heardFrom(bot, alice)).toEqual(['/start one', id])
  expect(bot.client.invites.list()).toMatchObject([{ id, uses: 1, used: 1 }])
})

test('[CORE-16.18] of two people at the same moment one takes the last use', async ({ alice, bob, bot }) => {
  const { id, url } = await bot.client.invites.create({ payload: 'one', uses: 1 })
  await Promise.all([alice.openInvite(url), bob.openInvite(url)])
  const [first, second] = [(await bot.next('message')).message, (await bot.next('message')).message]
  expect([first.text, second.text]).toEqual(['/start one', '/start'])
  expect([first.invite?.id, second.invite]).toEqual([id, undefined])
  expect(usedOf(bot)).toEqual([1])
})

test('[CORE-16.18] a revoked link and one that has expired by the clock of its maker carry nothing', async ({
  world,
  alice,
  bob,
}) => {
  const clock = new ManualClock(Date.now())
  const bot = await world.person('bot', { bot: true, clock })
  const expiresTs = clock.nowMs() + HOUR_MS
  const revoked = await bot.client.invites.create({ payload: 'revoked' })
  const timed = await bot.client.invites.create({ payload: 'timed', expiresTs })
  await alice.openInvite(timed.url)
  expect(await heardFrom(bot, alice)).toEqual(['/start timed', timed.id])
  await bot.client.invites.revoke(revoked.id)
  await expect(bot.client.invites.revoke(revoked.id)).rejects.toMatchObject({ code: 'start-link-not-found' })
  await bob.openInvite(revoked.url)
  expect(await heardFrom(bot, bob)).toEqual(['/start'])
  clock.set(HOUR_MS)
  for (const person of [alice, bob]) {
    await person.openInvite(timed.url)
    expect(await heardFrom(bot, person)).toEqual(['/start'])
  }
  expect(bot.client.invites.list()).toEqual([])
})

test('[CORE-16.19] a link that holds makes its person a contact; one that does not leaves a stranger', async ({
  world,
  alice,
  bob,
  strictBot: bot,
}) => {
  const { id, url } = await bot.client.invites.create({ payload: 'x', uses: 1 })
  const stateOf = async (person: TestPerson) =>
    (await bot.next('chat', event => event.chat_id === (person.id as string))).chat.state
  await alice.openInvite(url)
  expect(await stateOf(alice)).toBe('active')
  await bob.openInvite(url)
  expect(await stateOf(bob)).toBe('request')
  await bot.client.invites.revoke(id)
  const mallory = await world.person('mallory')
  await mallory.openInvite(url)
  expect(await stateOf(mallory)).toBe('request')
})

test('[CORE-16.19] a client from before start links comes by one as by any link, and counts', async ({
  alice,
  bob,
  strictBot: bot,
}) => {
  const { url } = await bot.client.invites.create({ payload: 'x', uses: 1 })
  const { token, ...target } = parseInvite(url)
  await alice.client.chats.open(target, WITHIN)
  await sends(alice, bot, { body: hello.body(), url })
  await alice.say(bot, '/start')
  expect(await heardFrom(bot, alice)).toEqual(['/start'])
  expect(usedOf(bot)).toEqual([1])
  await bob.openInvite(url)
  const { chat } = await bot.next('chat', event => event.chat_id === (bob.id as string))
  expect(chat.state).toBe('request')
  expect(token).toHaveLength(22)
})

test('[CORE-16.20] nobody but the maker of a link writes a payload as its own', async ({ world, alice, bot }) => {
  const { id, url } = await bot.client.invites.create({ payload: 'right' })
  const mallory = await world.person('mallory')
  await mallory.openInvite(bot.client.identity.me().inviteUrl)
  // Typed; with a field of the maker's records; with a token that was guessed; with another text.
  await mallory.say(bot, '/start right')
  expect(await heardFrom(bot, mallory)).toEqual(['/start right'])
  const forged = { kind: 'text', text: '/start admin', invite: { id, payload: 'admin' } } as const
  await sends(mallory, bot, { body: forged })
  expect(await heardFrom(bot, mallory)).toEqual(['/start admin'])
  const guessed = `${url.slice(0, -22)}${'A'.repeat(21)}s`
  await sends(mallory, bot, { body: { kind: 'text', text: '/start' }, url: guessed })
  expect(await heardFrom(bot, mallory)).toEqual(['/start'])
  await sends(mallory, bot, { body: forged, url })
  expect(await heardFrom(bot, mallory)).toEqual(['/start admin'])
  // In a group the payload would be for all members to read.
  const group = await mallory.createGroup('group', [alice, bot])
  const draft = newDraft(coreOf(mallory), { kind: 'text', text: '/start' }, parseInvite(url).token)
  await sendContent(coreOf(mallory), group, { draft, deadline: deadlineOf(mallory) })
  expect(await heardFrom(bot, mallory)).toEqual(['/start'])
  // An edit changes the words, and not the payload of the link.
  await mallory.openInvite(url)
  const { message } = await bot.next('message', event => event.message.text === '/start right')
  await mallory.client.messages.edit(bot.chatId, { message: message.id, text: '/start admin' }, WITHIN)
  const edited = await bot.next('edited')
  expect(edited.message).toMatchObject({ text: '/start admin', invite: { id, payload: 'right' } })
})

test('[CORE-16.21] links, uses and what came while the maker was away survive a restart', async ({
  world,
  alice,
  bot,
}) => {
  const { id, url } = await bot.client.invites.create({ payload: 'kept', uses: 1 })
  await world.close(bot)
  await alice.openInvite(url)
  const restarted = await world.person('bot', { bot: true })
  expect(await heardFrom(restarted, alice)).toEqual(['/start kept', id])
  expect(restarted.client.invites.list()).toMatchObject([{ id, url, payload: 'kept', uses: 1, used: 1 }])
})

test('[CORE-16.21] a maker that is restored counts those who came since its backup, and knows no later revocation', async ({
  world,
  alice,
  bob,
  bot,
}) => {
  const { id, url } = await bot.client.invites.create({ payload: 'kept', uses: 1 })
  const again = await world.backUp(bot, { bot: true })
  await again.online()
  const later = await again.client.invites.create({ payload: 'later' })
  await alice.openInvite(url)
  expect(await heardFrom(again, alice)).toEqual(['/start kept', id])
  await again.client.invites.revoke(id)
  const restored = await world.restore(again, { bot: true })
  expect(await heardFrom(restored, alice)).toEqual(['/start kept', id])
  expect(restored.client.invites.list()).toMatchObject([{ id, uses: 1, used: 1 }])
  // The one use is taken; the link that was made after the backup is not known.
  for (const link of [url, later.url]) {
    await bob.openInvite(link)
    expect(await heardFrom(restored, bob)).toEqual(['/start'])
  }
})

test('[CORE-16.21] the message, its event and the use are one step: no kill comes between them', async ({
  alice,
  bob,
  bot,
}) => {
  const { url } = await bot.client.invites.create({ payload: 'x' })
  const steps: number[][] = []
  const events = () => bot.client.journal.read(0, 100).filter(({ json }) => json.includes('/start x')).length
  const messages = () =>
    bot.client.chats.list().flatMap(chat => bot.texts(chat.id).filter(text => text === '/start x')).length
  const forget = coreOf(bot).store.onCommit(() => void steps.push([usedOf(bot)[0] ?? 0, messages(), events()]))
  await Promise.all([alice.openInvite(url), bob.openInvite(url)])
  for (const _ of [1, 2]) await bot.next('message')
  forget()
  expect(steps.filter(([used, kept, reported]) => used !== kept || used !== reported)).toEqual([])
  expect(steps.at(-1)).toEqual([2, 2, 2])
})

test('[CORE-16.21] a link is made once under its key, and is not made again after it was revoked', async ({ bot }) => {
  const { invites } = bot.client
  const idempotency = { key: 'k', request: utf8('x') }
  const [one, other] = await Promise.all([
    invites.create({ payload: 'x' }, { idempotency }),
    invites.create({ payload: 'x' }, { idempotency }),
  ])
  expect(other).toEqual(one)
  expect(invites.list()).toEqual([one])
  await expect(
    invites.create({ payload: 'y' }, { idempotency: { ...idempotency, request: utf8('y') } }),
  ).rejects.toMatchObject({ code: 'idempotency-conflict' })
  await invites.revoke(one.id)
  await expect(invites.create({ payload: 'x' }, { idempotency })).rejects.toMatchObject({
    code: 'start-link-not-found',
  })
  expect(invites.list()).toEqual([])
})

test('[CORE-16.22] there are 10,000 links at most; expired ones make space', async ({ world }) => {
  const clock = new ManualClock(Date.now())
  const bot = await world.person('bot', { bot: true, clock })
  const { client } = bot
  const expiresTs = clock.nowMs() + HOUR_MS
  await client.invites.create({ payload: 'first', expiresTs })
  await coreOf(bot).store.write(database =>
    database.run(
      `WITH RECURSIVE many (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM many WHERE n < ?)
       INSERT INTO start_link (id, token, payload, ts) SELECT 'id' || n, 'token' || n, 'many', n FROM many`,
      clientLimits.startLinksMax,
    ),
  )
  expect(client.invites.list()).toHaveLength(clientLimits.startLinksMax)
  const full = { code: 'start-links-full', message: expect.stringContaining('10000') }
  await expect(client.invites.create({ payload: 'more' })).rejects.toMatchObject(full)
  clock.set(HOUR_MS)
  const { id } = await client.invites.create({ payload: 'more' })
  await expect(client.invites.create({ payload: 'too-many' })).rejects.toMatchObject(full)
  expect(client.invites.list({ after: 'id9999' }).map(link => link.payload)).toEqual(['many', 'more'])
  expect(client.invites.list({ limit: 1 })).toMatchObject([{ id: 'id2' }])
  expect(() => client.invites.list({ after: 'unknown' })).toThrow('There is no such invite')
  await client.invites.revoke(id)
})
