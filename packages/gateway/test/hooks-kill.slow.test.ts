// A gateway is killed in the middle of posts, and senders retry with the same body.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bot, Chat, CreatedHook } from '@postern/bot-api'
import { type ChatId, privateChatId } from '@postern/protocol'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { say } from './hooks.ts'
import { listeningUrl } from './listening-url.ts'

const TOKEN = 'test-token'
/** From the moment of a post: before its first write, and at each later step. */
const KILLED_AFTER_MS = [0, 1, 2, 3, 4, 5, 6, 8, 10, 14]

let url: string
let running: ChildProcess | undefined

async function kill(): Promise<void> {
  if (running?.exitCode !== null || running.signalCode !== null) return
  const ended = once(running, 'exit')
  running.kill('SIGKILL')
  await ended
}

async function ask<Answer>(method: string, path: string, json?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, ...(json && { body: JSON.stringify(json) }) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return (await answer.json()) as Answer
}

/** As senders do it: the same body, until it is acknowledged. */
async function insist(hook: CreatedHook, text: string): Promise<void> {
  const isWritten = () =>
    say({ url }, hook, text).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(isWritten, { interval: 20 }).toBe(200)
}

const test = base
  /** On another port each time: a port chosen in advance may be in use. */
  .extend('start', ({ world, alice }) => async (): Promise<void> => {
    running = fork(new URL('./run-gateway.ts', import.meta.url), {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      execArgv: [],
      env: {
        ...process.env,
        BOT_TOKEN: TOKEN,
        BOT_NAME: 'bot',
        BOT_OWNERS: alice.id,
        RELAY_URL: world.relayUrl,
        LISTEN: '127.0.0.1:0',
        DATA_DIR: join(world.directory, 'killed'),
        HOOKS_URL: 'https://hooks.example.org',
      },
    })
    url = await listeningUrl(running)
    const isThere = () =>
      ask('GET', '/v1/me').then(
        () => true,
        () => false,
      )
    // A process needs time to start on a busy machine.
    await expect.poll(isThere, { interval: 20 }).toBe(true)
  })
  .extend('befriend', ({ alice }) => async (): Promise<ChatId> => {
    const { id, invite_url } = await ask<Bot>('GET', '/v1/me')
    await alice.openInvite(invite_url)
    await expect.poll(async () => (await ask<Chat[]>('GET', '/v1/chats')).length, SOON).toBe(1)
    return privateChatId(id)
  })

test.beforeEach(async ({ start }) => {
  await start()
})

test.afterEach(async () => {
  await kill()
})

test('[GATEWAY-10.5] killed at any moment of a post, what is posted again is written once', async ({
  alice,
  befriend,
  start,
}) => {
  const bot = await befriend()
  const hook = await ask<CreatedHook>('POST', '/v1/hooks', { chat_id: alice.id, format: 'text' })
  const texts: string[] = []
  for (const afterMs of KILLED_AFTER_MS) {
    const text = `killed after ${afterMs} ms`
    texts.push(text)
    const posted = say({ url }, hook, text).then(
      ({ status }) => status,
      () => 0,
    )
    await wait(afterMs)
    await kill()
    // A sender whose post was acknowledged does not retry.
    const status = await posted
    await start()
    if (status !== 200) await insist(hook, text)
  }
  await insist(hook, 'end')
  await alice.hears('end')
  expect(alice.texts(bot)).toEqual([...texts, 'end'])
})

test('[GATEWAY-10.22] killed at any moment of a command, it is carried out and answered once', async ({
  alice,
  befriend,
  start,
}) => {
  const bot = await befriend()
  for (const afterMs of [0, 2, 4, 6, 8, 12]) {
    await alice.say(bot, '/hook text')
    await wait(afterMs)
    await kill()
    await start()
    await alice.next('message', ({ message }) => message.text?.startsWith('Хук ') === true)
  }
  await alice.say(bot, '/hooks')
  const { message } = await alice.next('message')
  expect(message.text?.match(/: text, создан/g)).toHaveLength(6)
  expect(alice.texts(bot).filter(text => text.startsWith('Хук '))).toHaveLength(6)
})
