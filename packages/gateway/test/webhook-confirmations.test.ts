// Webhook deliveries are recorded one by one: by a running gateway, at a stop, on a full disk and across a kill.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { CodedError, gatewayLimits, privateChatId } from '@postern/protocol'
import { passWhenAwaited, type TestGateway } from '@postern/testkit'
import { expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'
import { statusOnce, webhookTo } from './delivering.ts'
import { test as base } from './fixtures.ts'
import { listeningUrl } from './listening-url.ts'
import { answerWith } from './receiver.ts'

const { webhookRetryFirstMs } = gatewayLimits

const test = base
  /** The receiver holds the next request until every message is sent: the rest is delivered without a pause. */
  .extend('sayAtOnce', ({ receiver }) => async (say: (...texts: string[]) => Promise<void>, texts: string[]) => {
    const held = Promise.withResolvers<ServerResponse>()
    receiver.answer = response => held.resolve(response)
    await say(...texts)
    const response = await held.promise
    receiver.answer = answerWith(200)
    return () => void response.writeHead(200).end()
  })

const textsOf = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`)

const operatorOf = ({ client }: TestGateway) => client.journal.confirmed('operator')

async function confirmedAll(gateway: TestGateway): Promise<void> {
  await expect.poll(() => operatorOf(gateway), SOON).toBe(gateway.client.journal.newest())
}

test('[GATEWAY-6.7] what is delivered is recorded before the next delivery begins', async ({
  receiver,
  delivering,
  arrived,
  sayAtOnce,
}) => {
  const { gateway, say } = await delivering()
  const texts = textsOf(40)
  const release = await sayAtOnce(say, texts)
  const { journal } = gateway.client
  await expect.poll(() => journal.pending('operator'), SOON).toBe(texts.length)
  const unconfirmed: number[] = []
  receiver.answer = (response, received) => {
    unconfirmed.push((receiver.ids.at(-1) ?? expect.fail()) - operatorOf(gateway))
    answerWith(200)(response, received)
  }
  release()
  await arrived(texts)
  expect(unconfirmed).toEqual(texts.slice(1).map(() => 1))
  await confirmedAll(gateway)
})

test('[GATEWAY-6.7] a stop confirms what was delivered: nothing comes again', async ({
  clock,
  world,
  receiver,
  delivering,
  arrived,
  sayAtOnce,
}) => {
  const { gateway, say } = await delivering(clock)
  const release = await sayAtOnce(say, ['one', 'two'])
  receiver.answer = () => undefined
  release()
  await arrived(['one', 'two'])
  await world.closeGateway(gateway)
  receiver.answer = answerWith(200)
  await onlineGateway(world, webhookTo(receiver.url), { clock })
  await arrived(['one', 'two', 'two'])
})

test('[GATEWAY-6.7] a failed attempt confirms what was delivered before it', async ({
  clock,
  receiver,
  delivering,
  sayAtOnce,
}) => {
  const { gateway, api, say } = await delivering(clock)
  const release = await sayAtOnce(say, ['one', 'two'])
  receiver.answer = answerWith(500)
  await statusOnce(api, ({ pending }) => pending === 2)
  release()
  await statusOnce(api, ({ next_attempt_ts }) => next_attempt_ts !== undefined)
  await expect.poll(() => gateway.client.journal.newest() - operatorOf(gateway), SOON).toBe(1)
})

test('[GATEWAY-6.7] while the disk is full nothing more is delivered, and nothing is delivered twice', async ({
  clock,
  delivering,
  arrived,
  sayAtOnce,
}) => {
  const { gateway, api, say } = await delivering(clock)
  const texts = textsOf(4)
  const release = await sayAtOnce(say, texts)
  await statusOnce(api, ({ pending }) => pending === texts.length)
  const { journal } = gateway.client
  const confirm = journal.confirm.bind(journal)
  let refused = 0
  journal.confirm = () => {
    refused++
    return Promise.reject(new CodedError('storage-full'))
  }
  release()
  await expect.poll(() => refused, SOON).toBe(1)
  await arrived(texts.slice(0, 1))
  clock.advance(webhookRetryFirstMs)
  await expect.poll(() => refused, SOON).toBe(2)
  await arrived(texts.slice(0, 1))
  journal.confirm = confirm
  await passWhenAwaited(clock, webhookRetryFirstMs, arrived(texts))
})

test('[GATEWAY-4.13] what is deleted behind a delivery that is under way is delivered without its words', async ({
  alice,
  receiver,
  delivering,
  sayAtOnce,
}) => {
  const { gateway, api, say } = await delivering()
  const release = await sayAtOnce(say, ['one', 'two'])
  const bot = privateChatId(gateway.client.account)
  const two = alice.client.messages.list(bot, { limit: 1 })[0]?.id ?? expect.fail()
  await alice.client.messages.delete(bot, { message: two, for: 'all' }, { timeoutMs: 60_000 })
  await statusOnce(api, ({ pending }) => pending === 3)
  release()
  await expect.poll(() => receiver.texts, SOON).toEqual(['one', undefined, 'deleted'])
})

let running: ChildProcess | undefined

test.afterEach(() => {
  running?.kill('SIGKILL')
})

test('[GATEWAY-6.7] killed, a gateway repeats one update at most, under its id, and leaves none out', async ({
  world,
  alice,
  receiver,
}) => {
  const start = async () => {
    running = fork(new URL('./run-gateway.ts', import.meta.url), {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      execArgv: [],
      env: {
        ...process.env,
        BOT_TOKEN: 'test-token',
        BOT_NAME: 'bot',
        RELAY_URL: world.relayUrl,
        LISTEN: '127.0.0.1:0',
        DATA_DIR: join(world.directory, 'killed'),
        ...webhookTo(receiver.url),
      },
    })
    const url = await listeningUrl(running)
    return async () => {
      const answer = await fetch(`${url}/v1/me`, { headers: { authorization: 'Bearer test-token' } })
      return ((await answer.json()) as { invite_url?: string }).invite_url
    }
  }
  const invite = await start()
  await expect.poll(invite, { interval: 20, timeout: 60_000 }).toMatch(/^https?:/)
  const chat = await alice.openInvite((await invite()) ?? expect.fail())
  await expect.poll(() => receiver.texts, SOON).toEqual(['chat'])
  const held = Promise.withResolvers<ServerResponse>()
  receiver.answer = response => held.resolve(response)
  const texts = textsOf(64)
  for (const text of texts) await alice.say(chat.id, text)
  const response = await held.promise
  const killedAt = 48
  const ended = once(running ?? expect.fail(), 'exit')
  receiver.answer = (answer, received) => {
    if (receiver.requests.length === killedAt) running?.kill('SIGKILL')
    else answerWith(200)(answer, received)
  }
  response.writeHead(200).end()
  await ended
  const before = [...receiver.ids]
  receiver.requests.length = 0
  receiver.answer = answerWith(200)
  await start()
  await expect.poll(() => receiver.texts.at(-1), SOON).toBe(texts.at(-1))
  const after = receiver.ids
  const again = after.filter(id => before.includes(id))
  // The update whose answer never came.
  expect(again).toEqual(before.slice(-1))
  expect(after).toEqual(after.toSorted((a, b) => a - b))
  expect(new Set([...before, ...after]).size).toBe(texts.length + 1)
})
