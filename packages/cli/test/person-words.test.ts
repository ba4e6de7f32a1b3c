// The sentences that a person at a terminal reads: they do not speak of a bot.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { clientLimits, privateChatId, silentLog } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { PersonCommands } from '../src/person/answer-commands.ts'
import { LineOutput } from '../src/person/line-output.ts'
import { writeTyping } from '../src/person/write-events.ts'

test('[CLI-2.15] who has left a chat is told so in words that are right for a person', async ({ alice, bob }) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'garden', members: [bob.id] }, WITHIN)
  const output = new PassThrough()
  const answers = new PersonCommands(alice.client, { output: new LineOutput(output), stop: AbortSignal.any([]) })
  const ask = async (command: object) => {
    await answers.answerAll(Readable.from([Buffer.from(`${JSON.stringify(command)}\n`)]))
    await answers.settled()
  }
  await ask({ id: 1, do: 'leave', chat })
  await ask({ id: 2, do: 'send', chat, text: 'hello?' })
  output.end()
  const lines = (await text(output)).trim().split('\n')
  expect(lines.map(line => JSON.parse(line))).toEqual([
    { id: 1, ok: {} },
    { id: 2, code: 'bad_request', error: 'This account is no longer in the chat.' },
  ])
})

test('[CLI-2.22] an account is deleted when its own id confirms it', async ({ world, alice, bob }) => {
  const output = new PassThrough()
  const answers = new PersonCommands(alice.client, { output: new LineOutput(output), stop: AbortSignal.any([]) })
  const ask = async (command: object) => {
    await answers.answerAll(Readable.from([Buffer.from(`${JSON.stringify(command)}\n`)]))
    await answers.settled()
  }
  const profile = () => fetch(`${world.relayUrl}/profiles/${alice.id}`)
  await ask({ id: 1, do: 'delete-account', confirm: bob.id })
  expect((await profile()).status).toBe(200)
  await ask({ id: 2, do: 'delete-account', confirm: alice.id })
  output.end()
  const lines = (await text(output)).trim().split('\n')
  expect(lines.map(line => JSON.parse(line))).toEqual([
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
  const output = new PassThrough()
  const answers = new PersonCommands(alice.client, { output: new LineOutput(output), stop: AbortSignal.any([]) })
  const ask = async (command: object) => {
    await answers.answerAll(Readable.from([Buffer.from(`${JSON.stringify(command)}\n`)]))
    await answers.settled()
  }
  await ask({ id: 1, do: 'send', chat: bob.id, text: 'a **b**', format: 'markdown' })
  await ask({ id: 2, do: 'send', chat: bob.id, text: 'c', entities: [{ type: 'code', offset: 0, length: 1 }] })
  await ask({ id: 3, do: 'send', chat: bob.id, text: 'c', entities: [{ type: 'code', offset: 0, length: 2 }] })
  const { id: message } = await alice.client.messages.sendText(privateChatId(bob.id), { text: 'd' }, WITHIN)
  await ask({ id: 4, do: 'edit', chat: bob.id, message, text: '_e_', format: 'markdown' })
  const path = join(world.directory, 'report.txt')
  writeFileSync(path, 'a report')
  await ask({ id: 5, do: 'file', chat: bob.id, path, caption: '~~f~~', format: 'markdown' })
  output.end()
  const lines = (await text(output)).trim().split('\n')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { id: 1, ok: { text: 'a b', entities: [{ type: 'bold', offset: 2, length: 1 }] } },
    { id: 2, ok: { text: 'c', entities: [{ type: 'code', offset: 0, length: 1 }] } },
    { id: 3, code: 'bad_request', error: 'entities[0]: must end within the text.' },
    { id: 4, ok: { text: 'e', entities: [{ type: 'italic', offset: 0, length: 1 }] } },
    { id: 5, ok: { text: 'f', entities: [{ type: 'strike', offset: 0, length: 1 }] } },
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
  const [asked, shown] = [new PassThrough(), new PassThrough()]
  const answers = new PersonCommands(alice.client, { output: new LineOutput(asked), stop: AbortSignal.any([]) })
  const end = writeTyping(bob.client, { output: new LineOutput(shown), log: silentLog })
  await answers.answerAll(Readable.from([Buffer.from(`${JSON.stringify({ id: 1, do: 'typing', chat: bob.id })}\n`)]))
  await answers.settled()
  await expect.poll(() => bob.client.typing.now()).toHaveLength(1)
  await alice.say(bob, 'done')
  await bob.hears('done')
  end()
  for (const output of [asked, shown]) output.end()
  expect(JSON.parse(await text(asked))).toEqual({ id: 1, ok: {} })
  const lines = (await text(shown)).trim().split('\n')
  const from = expect.objectContaining({ id: alice.id })
  expect(lines.map(line => JSON.parse(line))).toEqual(
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
    shown.end()
    const lines = (await text(shown)).trim().split('\n')
    const [from, chat_id] = [expect.objectContaining({ id: alice.id }), alice.id]
    expect(lines.map(line => JSON.parse(line))).toEqual([
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
  const output = new PassThrough()
  const answers = new PersonCommands(alice.client, { output: new LineOutput(output), stop: AbortSignal.any([]) })
  for (const [id, message] of [said, file, asked].entries()) {
    const command = { id, do: 'forward', chat: bob.id, message: message.id, to: group }
    await answers.answerAll(Readable.from([Buffer.from(`${JSON.stringify(command)}\n`)]))
    await answers.settled()
  }
  output.end()
  const lines = (await text(output)).trim().split('\n')
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { id: 0, ok: { chat_id: group, text: 'the plan', forwarded: true } },
    { id: 1, ok: { chat_id: group, text: 'read it', file: file.file, forwarded: true } },
    { id: 2, code: 'bad_request', error: 'message: must be the id of a text or a file.' },
  ])
})
