// A gateway is killed around the answer of a Telegram webhook, which calls a method.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Bot } from '@postern/bot-api'
import { type ChatId, privateChatId } from '@postern/protocol'
import type { TestPerson } from '@postern/testkit'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { listeningUrl } from './listening-url.ts'

const TOKEN = 'test-token'

type Shown = { update_id: number; message?: { message_id: number; text: string; chat: { id: number } } }

const test = base
  .extend('killable', async ({ world }, { onCleanup }) => {
    const state: { process?: ChildProcess; url: string } = { url: '' }
    const kill = async (): Promise<void> => {
      const { process: running } = state
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
    }
    onCleanup(kill)
    const start = async (): Promise<void> => {
      state.process = fork(new URL('./run-gateway-held.ts', import.meta.url), {
        stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
        execArgv: [],
        env: {
          ...process.env,
          BOT_TOKEN: TOKEN,
          BOT_NAME: 'bot',
          TELEGRAM_API: 'on',
          RELAY_URL: world.relayUrl,
          LISTEN: '127.0.0.1:0',
          DATA_DIR: join(world.directory, 'killed'),
        },
      })
      state.url = await listeningUrl(state.process)
      await expect.poll(async () => (await fetch(`${state.url}/readyz`).catch(() => undefined))?.status, SOON).toBe(200)
    }
    /** Resolves when no delivery is recorded any more. `held` resolves when one should have been. */
    const hold = async (): Promise<{ held: Promise<unknown> }> => {
      const { process: running } = state
      if (!running) throw new Error('the gateway does not run')
      const holds = once(running, 'message')
      running.send('hold')
      expect((await holds)[0]).toBe('holds')
      return { held: once(running, 'message') }
    }
    await start()
    return { kill, start, hold, url: () => state.url }
  })
  /** Answers each message with a call that sends its text back. */
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('answering', async ({}, { onCleanup }) => {
    const posts: Shown[] = []
    const after: { answered?: (() => void) | undefined } = {}
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const update = JSON.parse(Buffer.concat(chunks).toString()) as Shown
        posts.push(update)
        response.writeHead(200, { 'content-type': 'application/json' })
        const { text, chat } = update.message ?? { text: '' }
        const call = { method: 'sendMessage', chat_id: chat?.id, text: `to ${text}` }
        response.end(update.message ? JSON.stringify(call) : '{}', () => after.answered?.())
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onCleanup(async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    })
    return { posts, after, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  })

async function talkTo({ alice, url }: { alice: TestPerson; url: string }): Promise<ChatId> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const me = (await (await fetch(`${url}/v1/me`, { headers })).json()) as Bot
  await alice.openInvite(me.invite_url)
  return privateChatId(me.id)
}

async function call<Result>(url: string, method: string, parameters: object): Promise<Result> {
  const answer = await fetch(`${url}/bot${TOKEN}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  })
  expect([method, answer.status]).toEqual([method, 200])
  return ((await answer.json()) as { result: Result }).result
}

const texts = (posts: readonly Shown[]) => posts.map(({ message }) => message?.text)

test('[TELEGRAM-9.10] killed between the answer and its record, that update alone comes again, and its call is run once', async ({
  alice,
  killable: { kill, start, hold, url },
  answering: { posts, url: address },
}) => {
  const chat = await talkTo({ alice, url: url() })
  await call(url(), 'setWebhook', { url: address, allowed_updates: ['message'] })
  for (const text of ['first', 'second']) {
    await alice.say(chat, text)
    await alice.hears(`to ${text}`)
  }
  // People hear the call before the update is recorded.
  const waiting = async () =>
    (await call<{ pending_update_count: number }>(url(), 'getWebhookInfo', {})).pending_update_count
  await expect.poll(waiting, SOON).toBe(0)
  const { held } = await hold()
  await alice.say(chat, 'killed')
  await held
  // The call has been run, and only its record is missing.
  await alice.hears('to killed')
  await kill()
  await start()
  await alice.say(chat, 'last')
  await alice.hears('to last')
  expect(texts(posts)).toEqual(['first', 'second', 'killed', 'killed', 'last'])
  expect(posts[3]).toEqual(posts[2])
  const heard = alice.texts(chat).filter(text => text.startsWith('to '))
  expect(heard).toEqual(['to first', 'to second', 'to killed', 'to last'])
})

test('[TELEGRAM-4.1] a number that was answered belongs to its message after a kill, too', async ({
  alice,
  killable: { kill, start, url },
}) => {
  const chat = await talkTo({ alice, url: url() })
  // Other writes of the same moment would take the numbers along: they are given when nothing else happens.
  await call(url(), 'getUpdates', { allowed_updates: ['message'] })
  await alice.say(chat, 'numbered')
  const headers = { authorization: `Bearer ${TOKEN}` }
  const native = async () => await (await fetch(`${url()}/v1/updates`, { headers })).text()
  await expect.poll(native, SOON).toContain('"numbered"')
  const noted = await call<Shown[]>(url(), 'getUpdates', {})
  await kill()
  await start()
  const { message } = noted[0] ?? {}
  const sent = await call<{ message_id: number }>(url(), 'sendMessage', { chat_id: message?.chat.id, text: 'next' })
  expect(sent.message_id).toBeGreaterThan(message?.message_id ?? Number.NaN)
  expect(await call(url(), 'getUpdates', {})).toEqual(noted)
})

test('[TELEGRAM-9.10] killed after the answer, at most that update comes again, and its call is run once', async ({
  alice,
  killable: { kill, start, url },
  answering: { posts, after, url: address },
}) => {
  const chat = await talkTo({ alice, url: url() })
  await call(url(), 'setWebhook', { url: address, allowed_updates: ['message'] })
  const killedOn = { answer: 'the answer', message: 'the message of its call' }
  for (const text of [killedOn.answer, killedOn.message]) {
    await alice.say(chat, `before ${text}`)
    await alice.hears(`to before ${text}`)
    const answered = Promise.withResolvers<void>()
    after.answered = text === killedOn.answer ? answered.resolve : undefined
    await alice.say(chat, text)
    await (text === killedOn.answer ? answered.promise : alice.hears(`to ${text}`))
    await kill()
    after.answered = undefined
    await start()
    await alice.say(chat, `after ${text}`)
    await alice.hears(`to after ${text}`)
  }
  const heard = alice.texts(chat).filter(text => text.startsWith('to '))
  const said = Object.values(killedOn).flatMap(text => [`before ${text}`, text, `after ${text}`])
  expect(heard).toEqual(said.map(text => `to ${text}`))
  const repeated = posts.filter((post, at) => posts.findIndex(one => one.update_id === post.update_id) < at)
  for (const { message } of repeated) expect(Object.values(killedOn)).toContain(message?.text)
  expect(repeated.length).toBeLessThanOrEqual(2)
})
