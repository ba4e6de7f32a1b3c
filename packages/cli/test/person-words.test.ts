// The sentences that a person at a terminal reads: they do not speak of a bot.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Client } from '@postern/core'
import { clientLimits, privateChatId, readPictureHead, silentLog } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { PersonCommands } from '../src/person/answer-commands.ts'
import { LineOutput } from '../src/person/line-output.ts'
import { writeTyping } from '../src/person/write-events.ts'
import { png } from './png.ts'

async function linesOf(output: PassThrough): Promise<unknown[]> {
  output.end()
  const lines = (await text(output)).trim().split('\n')
  return lines.map(line => JSON.parse(line))
}

/** The commands of a person: `ask` one, and in the end read all the answers. */
function commandsOf(client: Client) {
  const output = new PassThrough()
  const commands = new PersonCommands(client, { output: new LineOutput(output), stop: AbortSignal.any([]) })
  const ask = async (command: object): Promise<void> => {
    await commands.answerAll(Readable.from([Buffer.from(`${JSON.stringify(command)}\n`)]))
    await commands.settled()
  }
  return { ask, answers: () => linesOf(output) }
}

test('[CLI-2.15] who has left a chat is told so in words that are right for a person', async ({ alice, bob }) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'garden', members: [bob.id] }, WITHIN)
  const { ask, answers } = commandsOf(alice.client)
  await ask({ id: 1, do: 'leave', chat })
  await ask({ id: 2, do: 'send', chat, text: 'hello?' })
  expect(await answers()).toEqual([
    { id: 1, ok: {} },
    { id: 2, code: 'bad_request', error: 'This account is no longer in the chat.' },
  ])
})

test('[CLI-2.22] an account is deleted when its own id confirms it', async ({ world, alice, bob }) => {
  const { ask, answers } = commandsOf(alice.client)
  const profile = () => fetch(`${world.relayUrl}/profiles/${alice.id}`)
  await ask({ id: 1, do: 'delete-account', confirm: bob.id })
  expect((await profile()).status).toBe(200)
  await ask({ id: 2, do: 'delete-account', confirm: alice.id })
  expect(await answers()).toEqual([
    { id: 1, code: 'bad_request', error: 'confirm: must be the id of this account.' },
    { id: 2, ok: {} },
  ])
  expect((await profile()).status).toBe(404)
})

test('[CLI-2.23] a person writes Markdown or entities, and the lines have the text with its entities', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'hi')
  const { ask, answers } = commandsOf(alice.client)
  await ask({ id: 1, do: 'send', chat: bob.id, text: 'a **b**', format: 'markdown' })
  await ask({ id: 2, do: 'send', chat: bob.id, text: 'c', entities: [{ type: 'code', offset: 0, length: 1 }] })
  await ask({ id: 3, do: 'send', chat: bob.id, text: 'c', entities: [{ type: 'code', offset: 0, length: 2 }] })
  const { id: message } = await alice.client.messages.sendText(privateChatId(bob.id), { text: 'd' }, WITHIN)
  await ask({ id: 4, do: 'edit', chat: bob.id, message, text: '_e_', format: 'markdown' })
  const path = join(world.directory, 'report.txt')
  writeFileSync(path, 'a report')
  await ask({ id: 5, do: 'file', chat: bob.id, path, caption: '~~f~~', format: 'markdown' })
  expect(await answers()).toMatchObject([
    { id: 1, ok: { text: 'a b', entities: [{ type: 'bold', offset: 2, length: 1 }] } },
    { id: 2, ok: { text: 'c', entities: [{ type: 'code', offset: 0, length: 1 }] } },
    { id: 3, code: 'bad_request', error: 'entities[0]: must end within the text.' },
    { id: 4, ok: { text: 'e', entities: [{ type: 'italic', offset: 0, length: 1 }] } },
    { id: 5, ok: { text: 'f', entities: [{ type: 'strike', offset: 0, length: 1 }] } },
  ])
})

test('[CLI-2.24] the picture of a group is a small square without metadata, and is removed again', async ({
  world,
  alice,
  bob,
}) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'garden', members: [bob.id] }, WITHIN)
  const path = join(world.directory, 'harbour.png')
  writeFileSync(path, png(600, 400, 'Secret Camera'))
  const { ask, answers } = commandsOf(alice.client)
  await ask({ id: 1, do: 'picture', chat, path })
  const [shown] = alice.client.chats.groupPictures()
  expect(shown?.chat).toBe(chat)
  const bytes = Buffer.from(shown?.picture.split(',')[1] ?? '', 'base64')
  expect(readPictureHead(bytes)).toMatchObject({ width: 256, height: 256 })
  expect(bytes.includes('Secret')).toBe(false)
  await ask({ id: 2, do: 'picture', chat, path: null })
  expect(alice.client.chats.groupPictures()).toEqual([])
  expect(await answers()).toMatchObject([
    { id: 1, ok: { id: chat } },
    { id: 2, ok: { id: chat } },
  ])
})

/** All clocks are one, and it stands still: on a busy machine, typing would be over before it is shown. */
const onOneClock = test
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))
  .extend('bob', ({ world, clock }) => world.person('bob', { clock }))

onOneClock('[CLI-2.26] typing is a command, and a line for the others', async ({ alice, bob }) => {
  await alice.say(bob, 'hi')
  await bob.hears('hi')
  await bob.say(alice, 'hello')
  await alice.hears('hello')
  const { ask, answers } = commandsOf(alice.client)
  const shown = new PassThrough()
  const end = writeTyping(bob.client, { output: new LineOutput(shown), log: silentLog })
  await ask({ id: 1, do: 'typing', chat: bob.id })
  await expect.poll(() => bob.client.typing.now()).toHaveLength(1)
  await alice.say(bob, 'done')
  await bob.hears('done')
  end()
  expect(await answers()).toEqual([{ id: 1, ok: {} }])
  const from = expect.objectContaining({ id: alice.id })
  expect(await linesOf(shown)).toEqual(
    ['typing', 'ended'].map(state => ({ event: 'typing', chat_id: alice.id, typing: { from, state } })),
  )
})

onOneClock(
  '[CLI-2.30] a draft is a line each time it changes, and the message an event of its own',
  async ({ alice, bob, clock }) => {
    await alice.say(bob, 'hi')
    await bob.hears('hi')
    await bob.say(alice, 'hello')
    await alice.hears('hello')
    const shown = new PassThrough()
    const end = writeTyping(bob.client, { output: new LineOutput(shown), log: silentLog })
    const drafts = () => bob.client.typing.drafts(privateChatId(alice.id)).map(draft => draft.text)
    for (const draft of ['It is', 'It is done']) {
      await alice.client.typing.sendDraft(privateChatId(bob.id), { text: draft }, WITHIN)
      await expect.poll(drafts).toEqual([draft])
      clock.advance(clientLimits.draftSentEveryMs)
    }
    await alice.say(bob, 'It is done.')
    await bob.hears('It is done.')
    end()
    const [from, chat_id] = [expect.objectContaining({ id: alice.id }), alice.id]
    expect(await linesOf(shown)).toEqual([
      { event: 'typing', chat_id, typing: { from, state: 'typing' } },
      { event: 'draft', chat_id, draft: { from, text: 'It is' } },
      { event: 'draft', chat_id, draft: { from, text: 'It is done' } },
      { event: 'typing', chat_id, typing: { from, state: 'ended' } },
    ])
  },
)

test('[CLI-2.28] a text and a file are forwarded with the mark, and a poll is not', async ({ alice, bob }) => {
  await alice.say(bob, 'hi')
  const { id: group } = await alice.client.chats.createGroup({ name: 'garden', members: [bob.id] }, WITHIN)
  const said = await alice.client.messages.sendText(privateChatId(bob.id), { text: 'the plan' }, WITHIN)
  const source = async function* () {
    yield Buffer.from('a report')
  }
  const draft = await alice.client.files.draft(source())
  const described = { name: 'report.txt', type: 'text/plain', kind: 'file', text: 'read it' } as const
  const file = await alice.client.files.send(privateChatId(bob.id), { draft, ...described }, WITHIN)
  await draft.discard()
  const poll = { question: 'Tea?', options: ['yes', 'no'], multiple: false }
  const asked = await alice.client.messages.sendPoll(privateChatId(bob.id), poll, WITHIN)
  const { ask, answers } = commandsOf(alice.client)
  for (const [id, message] of [said, file, asked].entries())
    await ask({ id, do: 'forward', chat: bob.id, message: message.id, to: group })
  expect(await answers()).toMatchObject([
    { id: 0, ok: { chat_id: group, text: 'the plan', forwarded: true } },
    { id: 1, ok: { chat_id: group, text: 'read it', file: file.file, forwarded: true } },
    { id: 2, code: 'bad_request', error: 'message: must be the id of a text or a file.' },
  ])
})
