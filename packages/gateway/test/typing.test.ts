// A bot that is typing, as the person in the chat sees it.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { talking } from './talking.ts'

/** All clocks are one, and it stands still: on a busy machine, typing would be over before it is shown. */
const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))

test('[GATEWAY-4.30] the person sees that the bot is typing, until its next message', async ({
  world,
  alice,
  clock,
}) => {
  const { api, path, toBot } = await talking(world, alice, { clock })
  const states: string[] = []
  alice.client.typing.onChange(({ chat, state }) => states.push(`${chat === toBot ? 'bot' : chat} ${state}`))
  expect(await api.call('POST', `${path}/typing`, { json: {} })).toMatchObject({ status: 200, body: {} })
  await expect.poll(() => states).toEqual(['bot typing'])
  await api.ok('POST', `${path}/messages`, { text: 'the answer' })
  await alice.hears('the answer')
  expect(states).toEqual(['bot typing', 'bot ended'])
})

test('[GATEWAY-4.30] a person’s typing is no update', async ({ world, alice, clock }) => {
  const { api, toBot } = await talking(world, alice, { clock })
  await alice.client.typing.send(toBot, WITHIN)
  await alice.client.messages.sendText(toBot, { text: 'after it' }, WITHIN)
  await api.next('message', update => update.message.text === 'after it')
  const updates = await api.ok<{ type: string }[]>('GET', '/v1/updates')
  expect(updates.map(({ type }) => type)).not.toContain('typing')
})

test('[GATEWAY-4.30] in an unknown chat it is 404', async ({ world, alice, clock }) => {
  const { api } = await talking(world, alice, { clock })
  expect(await api.call('POST', `/v1/chats/${'a'.repeat(32)}/typing`, { json: {} })).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  })
})
