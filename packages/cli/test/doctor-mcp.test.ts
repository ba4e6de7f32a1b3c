// The doctor's findings about the tools for agents.
import { privateChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { doctor, settingsOf } from './doctor.ts'

const agents = { MCP: 'on', MCP_TOKEN: 'a-token-of-agents' }
const SOON = { interval: 5, timeout: 60_000 }

const test = base
  .extend('settings', ({ world, alice }) => ({
    ...settingsOf(world),
    ...agents,
    MCP_CHATS: alice.id,
    BOT_OWNERS: alice.id,
  }))
  .extend('gateway', async ({ world, settings }) => {
    const gateway = await world.gateway(settings)
    await gateway.client.whenOnline(WITHIN)
    return gateway
  })

test('[CLI-9.7] chats that agents reach, and chats that the bot is not in', async ({
  gateway,
  settings,
  alice,
  bob,
}) => {
  const before = await doctor([], settings)
  expect(before.of('mcp')).toEqual(['warn the bot is not in 1 of the 1 chats of MCP_CHATS → check their ids'])
  await alice.openInvite((await gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
  const after = await doctor([], settings)
  expect(after.of('mcp')).toEqual(['ok agents reach a chat'])
  expect(after.text).not.toContain(agents.MCP_TOKEN)
  expect(gateway.client.messages.list(alice.id as never, { limit: 10 })).toEqual([])
  const more = await doctor([], { ...settings, MCP_CHATS: `${alice.id},${bob.id}` })
  expect(more.of('mcp')).toEqual(['warn the bot is not in 1 of the 2 chats of MCP_CHATS → check their ids'])
})

test('[CLI-9.7] nobody may decide, and no chat is allowed', async ({ gateway, settings, alice }) => {
  await alice.openInvite((await gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
  const alone = await doctor([], { ...settings, BOT_OWNERS: '' })
  expect(alone.of('mcp')).toEqual([
    expect.stringMatching(/^warn questions without `from` are refused → set BOT_OWNERS/),
  ])
  const closed = await doctor([], { ...settings, MCP_CHATS: '' })
  expect(closed.of('mcp')).toEqual(['warn agents reach no chat → list chats in MCP_CHATS'])
})

const asking = test.extend('settings', ({ world, alice }) => ({
  ...settingsOf(world),
  ...agents,
  ...{ MCP_CHATS: alice.id, BOT_OWNERS: alice.id, ACCEPT_REQUESTS: 'contacts' },
}))

asking('[CLI-9.7] a chat that the bot cannot write to yet', async ({ gateway, settings, alice }) => {
  const { account } = gateway.client
  await alice.client.chats.open({ account }, WITHIN)
  await alice.say(privateChatId(account), 'hello')
  await expect.poll(() => gateway.client.chats.list().map(({ state }) => state), SOON).toEqual(['request'])
  const report = await doctor([], settings)
  expect(report.of('mcp')).toEqual(['warn agents cannot write to 1 of their chats → accept them, or add the bot again'])
})

test('[CLI-9.7] a gateway with another token, and one without agents', async ({ world, gateway: _runs, settings }) => {
  const other = await doctor([], { ...settings, MCP_TOKEN: 'a-newer-token' })
  expect([other.code, other.of('mcp')]).toEqual([
    1,
    ['FAIL the running gateway does not accept MCP_TOKEN → restart it with the new token'],
  ])
  const place = { DATA_DIR: `${world.directory}/without` }
  const without = await world.gateway(settingsOf(world, place))
  await without.client.whenOnline(WITHIN)
  const report = await doctor([], { ...settings, ...place })
  expect([report.code, report.of('mcp')]).toEqual([
    1,
    ['FAIL the running gateway serves no agents → restart it with MCP=on'],
  ])
  const off = await doctor([], { ...settingsOf(world, place) })
  expect(off.of('mcp')).toEqual([])
})
