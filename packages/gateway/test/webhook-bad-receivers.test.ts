// Badly behaved receivers of webhooks: delivery waits for them, and resumes when they recover.
import type { ServerResponse } from 'node:http'
import { gatewayLimits } from '@postern/protocol'
import { ManualClock, passWhenAwaited } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { arrivedAt, status, statusOnce, webhookTo } from './delivering.ts'
import { test as base } from './fixtures.ts'
import { answerWith, TestReceiver } from './receiver.ts'

const test = base
  /** The next attempt comes a second later, and is answered correctly. */
  .extend('recovers', ({ receiver }) => async (clock: ManualClock, api: Api, error: RegExp): Promise<void> => {
    const failed = await statusOnce(api, now => now.next_attempt_ts !== undefined)
    expect(failed.last_error).toMatch(error)
    receiver.answer = answerWith(200)
    clock.advance(1000)
    await statusOnce(api, ({ pending }) => pending === 0)
    expect(receiver.texts).toEqual(['one', 'one'])
  })

test('[GATEWAY-6.4] one that hangs is given up after 30 seconds', async ({ clock, receiver, delivering, recovers }) => {
  const { api, say } = await delivering(clock)
  receiver.answer = () => undefined
  await say('one')
  await expect.poll(() => receiver.requests.length, SOON).toBe(1)
  clock.advance(29_999)
  await api.get('/healthz')
  expect((await status(api)).next_attempt_ts).toBeUndefined()
  clock.advance(1)
  await recovers(clock, api, /did not answer within 30 seconds/)
})

test('[GATEWAY-6.4] one that resets the connection is tried again', async ({
  clock,
  receiver,
  delivering,
  recovers,
}) => {
  const { api, say } = await delivering(clock)
  receiver.answer = response => response.socket?.resetAndDestroy()
  await say('one')
  await recovers(clock, api, /cut the connection/)
})

test('[GATEWAY-6.5] a kept connection that is reset under a request is a failed attempt like any other', async ({
  clock,
  receiver,
  delivering,
  arrived,
}) => {
  const { api, say } = await delivering(clock)
  // Kept since the update about the chat, and in use again.
  expect(receiver.connections).toBe(1)
  let isKept = true
  receiver.answer = (response, received) => {
    if (!isKept) return answerWith(200)(response, received)
    isKept = false
    response.socket?.resetAndDestroy()
  }
  await say('one')
  const failed = await statusOnce(api, now => now.next_attempt_ts !== undefined || now.pending === 0)
  expect(failed).toMatchObject({ pending: 1, last_error: 'The receiver cut the connection.' })
  expect((failed.next_attempt_ts ?? 0) - clock.nowMs()).toBe(gatewayLimits.webhookRetryFirstMs)
  expect(receiver.texts).toEqual(['one'])
  clock.advance(gatewayLimits.webhookRetryFirstMs)
  await arrived(['one', 'one'])
})

test('[GATEWAY-6.4] a redirect is not followed', async ({ clock, receiver, delivering, recovers }) => {
  const { api, say } = await delivering(clock)
  await using other = await TestReceiver.start()
  receiver.answer = response => response.writeHead(307, { location: other.url }).end()
  await say('one')
  await recovers(clock, api, /answered 307; redirects are not followed/)
  expect(other.requests).toEqual([])
})

test('[GATEWAY-6.4] one that is not there is tried again', async ({ clock, receiver, delivering }) => {
  const { api, say } = await delivering(clock)
  const { port } = receiver
  await receiver[Symbol.asyncDispose]()
  await say('one')
  const failed = await statusOnce(api, now => now.next_attempt_ts !== undefined)
  expect(failed.last_error).toMatch(/could not be reached \(ECONNREFUSED\)/)
  await using back = await TestReceiver.start(port)
  clock.advance(1000)
  await arrivedAt(back, ['one'])
})

test('[GATEWAY-6.4] one that speaks no TLS under https is tried again', async ({ world, alice, receiver }) => {
  const { api } = await onlineGateway(world, webhookTo(receiver.url.replace('http:', 'https:')))
  await alice.openInvite((await api.me()).invite_url)
  const failed = await statusOnce(api, now => now.next_attempt_ts !== undefined)
  expect(failed.last_error).toMatch(/could not be reached \((EPROTO|ERR_SSL_\w+)\)/)
  expect(receiver.requests).toEqual([])
})

test('[GATEWAY-6.4] one whose answer never ends counts as delivered, and the next update gets its turn', async ({
  clock,
  receiver,
  delivering,
  arrived,
}) => {
  const { api, say } = await delivering(clock)
  const trickling = Promise.withResolvers<ServerResponse>()
  receiver.answer = response => {
    response.writeHead(200).write('.')
    trickling.resolve(response)
  }
  await say('one', 'two')
  const response = await trickling.promise
  const timer = setInterval(() => response.write('.'), 5)
  receiver.answer = answerWith(200)
  await passWhenAwaited(clock, gatewayLimits.webhookBodyWithinMs, arrived(['one', 'two']))
  clearInterval(timer)
  await statusOnce(api, ({ pending }) => pending === 0)
})

test('[GATEWAY-6.4] an answer of 100 MB is not read', async ({ receiver, delivering, arrived }) => {
  const { api, say } = await delivering()
  let written = 0
  receiver.answer = response => {
    response.writeHead(200)
    const chunk = Buffer.alloc(1 << 20)
    const pour = () => {
      while (written < 100 && !response.destroyed) {
        written++
        if (!response.write(chunk)) return void response.once('drain', pour)
      }
      response.end()
    }
    pour()
  }
  await say('one')
  await expect.poll(() => receiver.texts, SOON).toEqual(['one'])
  await statusOnce(api, ({ pending }) => pending === 0)
  expect(written).toBeLessThan(50)
  receiver.answer = answerWith(200)
  await say('two')
  await arrived(['one', 'two'])
})

test('[GATEWAY-6.4] a stop does not wait for a receiver that hangs', async ({
  world,
  receiver,
  delivering,
  arrived,
}) => {
  const { gateway, say } = await delivering(new ManualClock(Date.now()))
  receiver.answer = () => undefined
  await say('one')
  await expect.poll(() => receiver.requests.length, SOON).toBe(1)
  // The clock stands still: no timeout ends anything.
  await world.closeGateway(gateway)
  receiver.answer = answerWith(200)
  await onlineGateway(world, webhookTo(receiver.url))
  await arrived(['one', 'one'])
})
