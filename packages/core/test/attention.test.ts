// Which entries are for attention: the relay wakes devices that are away by this mark alone.
import { type ChatId, isCoded } from '@postern/protocol'
import { parseGroupLink } from '@postern/protocol/content'
import { decodeClientFrame, decodeRelayFrame, encodeRelayFrame } from '@postern/protocol/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { piecesOf, randomFile } from './files-world.ts'
import { loseAnswers, mend } from './lossy-wire.ts'
import { attentions, entriesOn, hasGreeted } from './marked-entries.ts'
import { wishesOf } from './opened-previews.ts'

const test = base
  .extend('team', async ({ alice, bob, bot }) => {
    const chat = await alice.createGroup('team', [bob, bot])
    await alice.say(chat, 'first')
    await bob.hears('first')
    await bot.hears('first')
    await expect.poll(() => hasGreeted(alice)).toBe(true)
    return chat
  })
  .extend('talk', async ({ alice, bob }) => {
    await alice.say(bob, 'first')
    await bob.hears('first')
    await expect.poll(() => hasGreeted(alice)).toBe(true)
    return bob.chatId
  })

const poll = { question: 'Tea?', options: ['yes', 'no'], multiple: false }

async function sendFile({ client }: TestPerson, chat: ChatId, more: object = {}) {
  const draft = await client.files.draft(piecesOf(randomFile(100)))
  try {
    return await client.files.send(chat, { draft, name: 'a.bin', type: 'text/plain', kind: 'file', ...more }, WITHIN)
  } finally {
    await draft.discard()
  }
}

test('[CORE-26.1] texts, files, polls and calls are for attention, and silent ones are not', async ({
  alice,
  talk,
}) => {
  const { client, wire } = alice
  const sent = entriesOn(wire)
  await client.messages.sendText(talk, { text: 'a text' }, WITHIN)
  await sendFile(alice, talk)
  await client.messages.sendPoll(talk, poll, WITHIN)
  await client.messages.call(talk, WITHIN)
  expect(attentions(sent)).toEqual(['message', 'message', 'message', 'message'])
  sent.length = 0
  await client.messages.sendText(talk, { text: 'a text', silent: true }, WITHIN)
  await sendFile(alice, talk, { silent: true })
  await client.messages.sendPoll(talk, { ...poll, silent: true }, WITHIN)
  expect(attentions(sent)).toEqual(['none', 'none', 'none'])
})

test('[CORE-26.1] a request to join a group is for the attention of the admin', async ({ alice, bob, talk }) => {
  await alice.say(talk, 'before')
  await bob.hears('before')
  const group = await alice.createGroup('Boats', [])
  const { url } = await alice.client.groupLinks.make(group)
  const sent = entriesOn(bob.wire)
  await bob.client.groupLinks.ask(parseGroupLink(url), WITHIN)
  expect(attentions(sent)).toEqual(['message'])
})

test('[CORE-26.1] everything about a message, and everything between clients, is not', async ({
  alice,
  bob,
  bot,
  team,
}) => {
  const { client, wire } = alice
  const { id: message } = await alice.say(team, 'a text')
  const asked = await client.messages.sendPoll(team, poll, WITHIN)
  const buttons = [[{ text: 'Yes', data: 'yes' }]]
  const offered = await bot.client.messages.sendText(team, { text: 'Well?', buttons }, WITHIN)
  await alice.hears('Well?')
  const sent = entriesOn(wire)
  const pressed = entriesOn(bot.wire)
  await client.messages.edit(team, { message, text: 'another' }, WITHIN)
  await client.messages.react(team, { message, emoji: '👍' }, WITHIN)
  await client.messages.vote(team, { message: asked.id, options: [0] }, WITHIN)
  await client.messages.closePoll(team, asked.id, WITHIN)
  await client.messages.press(team, { message: offered.id, data: 'yes' }, WITHIN)
  const { button } = await bot.next('button')
  await bot.client.messages.answerPress(button.press_id, 'Done.', WITHIN)
  await client.messages.markRead(team)
  await client.identity.setProfile({ name: 'Alicia' })
  await client.chats.renameGroup(team, 'crew', WITHIN)
  await client.messages.delete(team, { message, for: 'all' }, WITHIN)
  await bob.next('deleted')
  await client.chats.leaveGroup(team, WITHIN)
  // The edit, the reaction, the vote, the closing, the press, the deletion, the farewell, and whatever came between.
  expect(sent.length).toBeGreaterThanOrEqual(7)
  for (const { attention, preview } of [...sent, ...pressed])
    expect({ attention, preview }).toEqual({ attention: 'none' })
})

test('[CORE-26.2] a text, a caption or a question that mentions a person of the group is a mention', async ({
  alice,
  bob,
  bot,
  carol,
  team,
}) => {
  const { client, wire } = alice
  const at = (person: TestPerson) => ({ text: 'x', mentions: [{ user: person.id, offset: 0, length: 1 }] })
  const sent = entriesOn(wire)
  await client.messages.sendText(team, at(bob), WITHIN)
  await sendFile(alice, team, at(bob))
  const { mentions } = at(bob)
  await client.messages.sendPoll(team, { question: 'x', options: ['a', 'b'], multiple: false, mentions }, WITHIN)
  expect(attentions(sent)).toEqual(['mention', 'mention', 'mention'])
  sent.length = 0
  const { id } = await bob.say(team, 'a question')
  await alice.hears('a question')
  // Bots have no notifications, carol is no member, alice is herself, and a reply is an answer to all.
  for (const person of [bot, carol, alice]) await client.messages.sendText(team, at(person), WITHIN)
  await client.messages.sendText(team, { text: '/help' }, WITHIN)
  await client.messages.sendText(team, { text: 'an answer', replyTo: id }, WITHIN)
  expect(attentions(sent)).toEqual(['message', 'message', 'message', 'message', 'message'])
  sent.length = 0
  await client.messages.sendText(team, { ...at(bob), silent: true }, WITHIN)
  expect(attentions(sent)).toEqual(['none'])
  sent.length = 0
  await client.messages.sendText(bob.chatId, at(bob), WITHIN)
  expect(attentions(sent)).not.toContain('mention')
})

test('[CORE-26.3] every try of a message has the same mark and the same preview', async ({ alice, bob, talk }) => {
  await bob.client.pushes.setPreviewsWanted(true)
  await expect.poll(() => wishesOf(alice)).toBe(1)
  const sent = entriesOn(alice.wire)
  const lost = loseAnswers(alice, 'appendMarked', 'outcome')
  const said = alice.say(talk, 'once')
  await bob.hears('once')
  await expect.poll(() => lost()).toBeGreaterThan(0)
  alice.wire.incoming = frame => [frame]
  alice.wire.drop()
  await said
  const tries = sent.filter(({ attention }) => attention === 'message')
  expect(tries[0]?.preview).toBeDefined()
  for (const one of tries) expect(one).toEqual(tries[0])
  expect(bob.texts(alice)).toEqual(['first', 'once'])
})

test('[CORE-26.3] a message that is encrypted again after a kill has the mark of its content', async ({
  world,
  alice,
  bob,
  talk,
}) => {
  const given = { ...WITHIN, idempotency: { key: 'a key', request: new Uint8Array(32) } }
  alice.wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame.slice())
    return decoded.kind === 'call' && decoded.name === 'appendMarked' ? [] : [frame]
  }
  const cutOff = alice.client.messages.sendText(talk, { text: 'again' }, given).catch((error: unknown) => error)
  await expect.poll(() => alice.client['core'].store.all('SELECT 1 FROM outbox').length).toBe(1)
  await world.close(alice)
  expect(await cutOff).toSatisfy(error => isCoded(error))
  const reopened = await world.person('alice')
  const sent = entriesOn(reopened.wire)
  await reopened.client.messages.sendText(talk, { text: 'again' }, given)
  await bob.hears('again')
  expect(attentions(sent)).toEqual(['message'])
})

test('[CORE-26.4] a relay that knows no marks gets every message, in order', async ({ alice, bob, talk }) => {
  beOlder(alice)
  const said = Array.from({ length: 30 }, (_, at) => alice.say(talk, `m${at}`))
  await Promise.all(said)
  await bob.hears('m29')
  expect(bob.texts(alice)).toEqual(['first', ...Array.from({ length: 30 }, (_, at) => `m${at}`)])
  expect(alice.texts(bob)).toEqual(bob.texts(alice))
  mend(alice)
})

/** The relay of the time before marks: to it they are frames of an unknown kind. */
function beOlder({ wire }: TestPerson): void {
  wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame.slice())
    if (decoded.kind !== 'call' || decoded.name !== 'appendMarked') return [frame]
    const refused = { code: 'frame-malformed', message: 'its kind 19 is not known' }
    const failure = { kind: 'failure', id: decoded.id, ...refused, retryAtMs: undefined, serial: undefined } as const
    queueMicrotask(() => wire.inject(encodeRelayFrame(failure)))
    return []
  }
  wire.incoming = frame => {
    const decoded = decodeRelayFrame(frame.slice())
    if (decoded.kind === 'answer') expect(decoded.name).not.toBe('appendMarked')
    return [frame]
  }
}
