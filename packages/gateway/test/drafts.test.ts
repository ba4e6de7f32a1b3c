// A text that the bot is still making, as the person in the chat sees it.
import { contentLimits } from '@postern/protocol'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { badRequest, notFound, talking } from './talking.ts'

/** All clocks are one, and it stands still: on a busy machine, a draft would be over before it is shown. */
const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))

test('[GATEWAY-4.39] the person sees the text grow, and then the message', async ({ world, alice, clock }) => {
  const { api, path, toBot } = await talking(world, alice, { clock })
  const drafts = () => alice.client.typing.drafts(toBot).map(({ text, entities }) => ({ text, entities }))
  const asked = { text: 'It is **done**', format: 'markdown' }
  expect(await api.call('POST', `${path}/draft`, { json: asked })).toEqual({ status: 200, body: {} })
  await expect.poll(drafts).toEqual([{ text: 'It is done', entities: [{ type: 'bold', offset: 6, length: 4 }] }])
  expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  await api.ok('POST', `${path}/messages`, { text: 'It is done.' })
  await alice.hears('It is done.')
  expect(drafts()).toEqual([])
  const updates = await api.ok<{ type: string }[]>('GET', '/v1/updates')
  expect(updates.map(({ type }) => type)).not.toContain('draft')
})

test('[GATEWAY-4.39] an empty text, one that is too long, and an unknown chat are refused', async ({
  world,
  alice,
  clock,
}) => {
  const { api, path } = await talking(world, alice, { clock })
  for (const text of ['', 'x'.repeat(contentLimits.textCharsMax + 1), 7])
    expect(await api.call('POST', `${path}/draft`, { json: { text } })).toEqual(badRequest(/^text: /))
  expect(await api.call('POST', `${path}/draft`, { json: { text: 'x', format: 'html' } })).toEqual(
    badRequest(/^format: /),
  )
  expect(await api.call('POST', `/v1/chats/${'a'.repeat(32)}/draft`, { json: { text: 'x' } })).toEqual(notFound(/chat/))
})
