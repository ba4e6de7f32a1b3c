// A new invite link: the older one lets nobody in any more.
import { parseInvite } from '@postern/protocol/content'
import { type Person, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

let world: World
let bot: Person
const strict = { acceptRequests: 'contacts', bot: true } as const

beforeEach(async () => {
  world = await World.start()
  bot = await world.person('bot', strict)
})
afterEach(async () => {
  await world.stop()
})

async function stateOf(person: Person): Promise<string> {
  return (await bot.next('chat', event => event.chat_id === (person.id as string))).chat.state
}

test('[CORE-16.6] after a new link the old one opens a request only, also after a restart; the new one lets in', async () => {
  const old = bot.client.me().inviteUrl
  const { inviteUrl } = await bot.client.newInvite()
  expect(parseInvite(inviteUrl)).toMatchObject({ account: bot.id, profileKey: parseInvite(old).profileKey })
  expect(parseInvite(inviteUrl).token).not.toBe(parseInvite(old).token)
  const mallory = await world.person('mallory')
  await mallory.openInvite(old)
  expect(await stateOf(mallory)).toBe('request')

  await world.close(bot)
  bot = await world.person('bot', strict)
  expect(bot.client.me().inviteUrl).toBe(inviteUrl)
  const [alice, eve] = [await world.person('alice'), await world.person('eve')]
  await eve.openInvite(old)
  expect(await stateOf(eve)).toBe('request')
  await alice.openInvite(inviteUrl)
  expect(await stateOf(alice)).toBe('active')
})

test('[CORE-16.6] two that ask for a new link at the same moment get the same one, and it works', async () => {
  const [one, other] = await Promise.all([bot.client.newInvite(), bot.client.newInvite()])
  expect(one.inviteUrl).toBe(other.inviteUrl)
  expect(bot.client.me().inviteUrl).toBe(one.inviteUrl)
  const alice = await world.person('alice')
  await alice.openInvite(one.inviteUrl)
  expect(await stateOf(alice)).toBe('active')
})

test('[CORE-16.6] who came by the old link before stays a contact', async () => {
  const alice = await world.person('alice')
  await alice.openInvite(bot.client.me().inviteUrl)
  expect(await stateOf(alice)).toBe('active')
  await bot.client.newInvite()
  await alice.say(bot, 'still here')
  await bot.hears('still here')
})
