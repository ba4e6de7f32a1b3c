// A gateway is killed around the answer of a Telegram webhook, which calls a method.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Bot } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { listeningUrl } from './listening-url.ts'

const TOKEN = 'test-token'

type Shown = { update_id: number; message?: { text: string; chat: { id: number } } }

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
      state.process = fork(new URL('./run-gateway.ts', import.meta.url), {
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
    await start()
    return { kill, start, url: () => state.url }
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

test('[TELEGRAM-9.10] killed after the answer, at most that update comes again, and its call is run once', async ({
  alice,
  killable: { kill, start, url },
  answering: { posts, after, url: address },
}) => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const me = (await (await fetch(`${url()}/v1/me`, { headers })).json()) as Bot
  await alice.openInvite(me.invite_url)
  const set = { method: 'POST', headers, body: JSON.stringify({ url: address, allowed_updates: ['message'] }) }
  expect((await fetch(`${url()}/bot${TOKEN}/setWebhook`, set)).status).toBe(200)
  const chat = privateChatId(me.id)
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
