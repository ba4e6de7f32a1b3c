// A new invite link: the older one makes nobody a contact any more.
import { parseInvite } from '@postern/protocol/content'
import type { TestPerson } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const strict = { acceptRequests: 'contacts', bot: true } as const

const test = base
  .extend('bot', ({ world }) => world.person('bot', strict))
  .extend('stateOf', ({ bot }) => async (person: TestPerson, by = bot): Promise<string> => {
    return (await by.next('chat', event => event.chat_id === (person.id as string))).chat.state
  })

test('[CORE-16.6] after a new link the old one opens a request only, also after a restart; the new one lets in', async ({
  world,
  bot,
  stateOf,
}) => {
  const old = bot.client.identity.me().inviteUrl
  const { inviteUrl } = await bot.client.identity.newInvite()
  expect(parseInvite(inviteUrl)).toMatchObject({ account: bot.id, profileKey: parseInvite(old).profileKey })
  expect(parseInvite(inviteUrl).token).not.toBe(parseInvite(old).token)
  const mallory = await world.person('mallory')
  await mallory.openInvite(old)
  expect(await stateOf(mallory)).toBe('request')

  await world.close(bot)
  const restarted = await world.person('bot', strict)
  expect(restarted.client.identity.me().inviteUrl).toBe(inviteUrl)
  const [alice, eve] = [await world.person('alice'), await world.person('eve')]
  await eve.openInvite(old)
  expect(await stateOf(eve, restarted)).toBe('request')
  await alice.openInvite(inviteUrl)
  expect(await stateOf(alice, restarted)).toBe('active')
})

test('[CORE-16.6] two that ask for a new link at the same moment get the same one, and it works', async ({
  world,
  bot,
  stateOf,
}) => {
  const [one, other] = await Promise.all([bot.client.identity.newInvite(), bot.client.identity.newInvite()])
  expect(one.inviteUrl).toBe(other.inviteUrl)
  expect(bot.client.identity.me().inviteUrl).toBe(one.inviteUrl)
  const alice = await world.person('alice')
  await alice.openInvite(one.inviteUrl)
  expect(await stateOf(alice)).toBe('active')
})

test('[CORE-16.6] who came by the old link before stays a contact', async ({ alice, bot, stateOf }) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  expect(await stateOf(alice)).toBe('active')
  await bot.client.identity.newInvite()
  await alice.say(bot, 'still here')
  await bot.hears('still here')
})
