// The sentences that a person at a terminal reads: they do not speak of a bot.
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { PersonCommands } from '../src/person/answer-commands.ts'
import { LineOutput } from '../src/person/line-output.ts'

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
