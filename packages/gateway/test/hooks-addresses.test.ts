// The address of a hook is a secret: the message with it does not stay in the history.
import type { Message } from '@postern/bot-api'
import { type ChatId, hookLimits, privateChatId } from '@postern/protocol'
import { ManualClock, passTime, type TestGateway, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { HOOKS_URL, hearsFrom, say } from './hooks.ts'

type Started = { gateway: TestGateway; api: Api; bot: ChatId }

const waiting = ({ client }: TestGateway): string => JSON.stringify(client.records('hooks').all())

const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend(
    'start',
    ({ clock, world, alice }) =>
      async (env: Record<string, string> = {}, own = clock): Promise<Started> => {
        const { gateway, api } = await onlineGateway(world, { HOOKS_URL, BOT_OWNERS: alice.id, ...env }, { clock: own })
        return { gateway, api, bot: privateChatId(gateway.client.account) }
      },
  )
  /** A bot that alice owns and has just asked for a hook. */
  .extend('asked', ({ alice, start }) => async (): Promise<Started & { told: Message; url: string }> => {
    const started = await start()
    await alice.openInvite((await started.api.me()).invite_url)
    await expect.poll(() => started.gateway.client.chats.list().length, SOON).toBe(1)
    await alice.say(started.bot, '/hook text')
    const told = await hearsFrom(alice, 'Хук')
    // She may have it before its sender knows that it was sent.
    await expect.poll(() => waiting(started.gateway), SOON).toContain(told.id)
    return { ...started, told, url: /https:\S+/.exec(told.text ?? '')?.[0] ?? '' }
  })
  .extend(
    'history',
    ({ alice }) =>
      async (api: Api): Promise<string> =>
        JSON.stringify(await api.ok('GET', `/v1/chats/${alice.id}/messages`)),
  )
  .extend(
    'expectErased',
    ({ alice }) =>
      async (bot: ChatId, { id, url }: { id: string; url: string }): Promise<void> => {
        const { deleted } = await alice.next('deleted')
        expect(deleted.message_id).toBe(id)
        expect(JSON.stringify(alice.client.messages.list(bot, { limit: 100 }))).not.toContain(url)
      },
  )
  .extend('readByAlice', ({ alice }) => async (bot: ChatId, { api, id }: { api: Api; id: string }): Promise<void> => {
    await alice.client.messages.markRead(bot)
    const status = async () => (await api.ok<Message>('GET', `/v1/chats/${alice.id}/messages/${id}`)).status
    await expect.poll(status, SOON).toBe('read')
  })

test('[GATEWAY-10.23] ten minutes after its owner has read it the address is erased on both sides, and the hook goes on', async ({
  clock,
  alice,
  asked,
  readByAlice,
  history,
  expectErased,
}) => {
  const { gateway, api, bot, told, url } = await asked()
  expect(told.text).toMatch(/сотрёт это сообщение через 10 минут/)
  await readByAlice(bot, { api, id: told.id })
  clock.leap(hookLimits.addressLookEveryMs)
  await expect.poll(() => waiting(gateway), SOON).toContain('readMs')
  clock.leap(hookLimits.addressAfterReadMs - 1)
  expect(await history(api)).toContain(url)
  clock.leap(hookLimits.addressLookEveryMs)
  await expectErased(bot, { id: told.id, url })
  await expect.poll(() => history(api), SOON).not.toContain(url)
  await expect.poll(() => waiting(gateway), SOON).not.toContain(told.id)
  expect((await say(gateway, { url }, 'by the hook')).status).toBe(200)
  await alice.hears('by the hook')
})

test('[GATEWAY-10.23] unread it is erased after a day, also when the gateway was off then, and hooks are by now', async ({
  clock,
  world,
  asked,
  start,
  history,
  expectErased,
}) => {
  const { gateway, bot, told, url } = await asked()
  await world.closeGateway(gateway)
  clock.leap(hookLimits.addressKeptMs - 1)
  const again = await start()
  expect(await history(again.api)).toContain(url)
  await world.closeGateway(again.gateway)
  clock.leap(1)
  const without = await start({ HOOKS_URL: '' })
  await passTime(clock, expectErased(bot, { id: told.id, url }))
  await expect.poll(() => history(without.api), SOON).not.toContain(url)
})

test('[GATEWAY-10.23] while the relay is away it waits, and is erased when that is back', async ({
  clock,
  asked,
  history,
  expectErased,
}) => {
  const { gateway, api, bot, told, url } = await asked()
  gateway.wire.cut()
  clock.leap(hookLimits.addressKeptMs)
  expect(await history(api)).toContain(url)
  gateway.wire.mend()
  await passTime(clock, gateway.client.whenOnline(WITHIN))
  await passTime(clock, expectErased(bot, { id: told.id, url }))
  expect(await history(api)).not.toContain(url)
})

test('[GATEWAY-10.23] an owner who deletes it first, and a clock that goes back, stop nothing', async ({
  clock,
  world,
  alice,
  asked,
  expectErased,
  start,
}) => {
  const { gateway, bot, told, url } = await asked()
  await gateway.client.messages.delete(privateChatId(alice.id), { message: told.id, for: 'all' }, WITHIN)
  await expectErased(bot, { id: told.id, url })
  clock.leap(hookLimits.addressLookEveryMs)
  await expect.poll(() => waiting(gateway), SOON).not.toContain(told.id)
  await alice.say(bot, '/hook alerts')
  const second = await hearsFrom(alice, 'Хук')
  await expect.poll(() => waiting(gateway), SOON).toContain(second.id)
  await world.closeGateway(gateway)
  const behind = new ManualClock(clock.nowMs() - 1000 * hookLimits.addressKeptMs)
  const again = await start({}, behind)
  behind.leap(hookLimits.addressLookEveryMs)
  behind.leap(hookLimits.addressKeptMs)
  await passTime(
    behind,
    alice.next('deleted', event => event.deleted.message_id === second.id),
  )
  await expect.poll(() => waiting(again.gateway), SOON).not.toContain(second.id)
})
