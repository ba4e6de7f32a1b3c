// A relay that serves an earlier profile: genuine, signed, and outdated.
import { type CallAnswer, decodeRelayFrame, type MailboxEntry } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'

const patience = { timeout: WITHIN.timeoutMs, interval: 10 }

type Fetched = CallAnswer<'getProfile'>

let watchers = 0

/** The relay answers every request for a profile with this one. */
function serves(to: TestPerson, old: Fetched): { relay: HostileRelay; asked: () => number } {
  const relay = new HostileRelay(to.wire)
  let asked = 0
  relay.changeAnswer('getProfile', () => {
    asked++
    return old
  })
  return { relay, asked: () => asked }
}

const test = base
  /** The relay's answer to a person who comes by the link. */
  .extend('profileAt', ({ world }) => async (person: TestPerson): Promise<Fetched> => {
    const watcher = await world.person(`watcher ${++watchers}`)
    const found = Promise.withResolvers<Fetched>()
    watcher.wire.incoming = bytes => {
      const frame = decodeRelayFrame(bytes.slice())
      if (frame.kind === 'answer' && frame.name === 'getProfile') found.resolve(frame.answer)
      return [bytes]
    }
    await watcher.openInvite(person.client.identity.me().inviteUrl)
    return await found.promise
  })
  .extend('publishedAs', ({ profileAt }) => async (person: TestPerson, about: string): Promise<Fetched> => {
    const { version } = await profileAt(person)
    await person.client.identity.setProfile({ about })
    for (;;) {
      const fetched = await profileAt(person)
      if (fetched.version > version) return fetched
    }
  })

test('[CORE-16.11] a new contact takes no older profile than the one that its owner has named, however often it comes', async ({
  world,
  bot,
  publishedAs,
}) => {
  const old = await publishedAs(bot, 'old words')
  await publishedAs(bot, 'new words')
  const alice = await world.person('alice')
  const { relay, asked } = serves(alice, old)
  await bot.say(alice, 'hello')
  await alice.hears('hello')
  await expect.poll(asked, patience).toBeGreaterThan(0)
  // She asks for it herself: a version that was given up is not forgotten.
  for (let again = 0; again < 2; again++) {
    await alice.client.identity.learnProfile(bot.id, WITHIN)
    expect(alice.client.identity.profileOf(bot.id)).toMatchObject({ name: 'bot', about: '' })
  }
  relay.repent()
  await bot.say(alice, 'once more')
  await expect.poll(() => alice.client.identity.profileOf(bot.id).about, patience).toBe('new words')
})

test('[CORE-16.11] a bot mark is not taken away by a profile from before it', async ({ world, publishedAs }) => {
  const bot = await world.person('bot')
  const old = await publishedAs(bot, 'a person then')
  await world.close(bot)
  const database = openDataDirectory(bot.directory)
  database.run(`UPDATE account SET profile = json_set(profile, '$.bot', json('true'))`)
  database.close()
  const again = await world.person('bot', { bot: true })
  await publishedAs(again, 'a bot now')
  const alice = await world.person('alice')
  const { relay, asked } = serves(alice, old)
  await again.say(alice, 'hello')
  await alice.hears('hello')
  await expect.poll(asked, patience).toBeGreaterThan(0)
  await alice.client.identity.learnProfile(bot.id, WITHIN)
  expect(alice.client.identity.profileOf(bot.id).about).not.toBe('a person then')
  relay.repent()
  await alice.client.identity.learnProfile(bot.id, WITHIN)
  expect(alice.client.identity.profileOf(bot.id)).toMatchObject({ about: 'a bot now', bot: true })
  serves(alice, old)
  await again.say(alice, 'still here')
  await alice.hears('still here')
  await alice.client.identity.learnProfile(bot.id, WITHIN)
  expect(alice.client.identity.profileOf(bot.id)).toMatchObject({ about: 'a bot now', bot: true })
})

test('[CORE-16.12] words that were held back do not bring back the name of their time', async ({
  alice,
  bob,
  carol,
}) => {
  await bob.say(alice, 'hello')
  await alice.hears('hello')
  const group = await bob.createGroup('all', [alice])
  const relay = new HostileRelay(alice.wire)
  const held: MailboxEntry[] = []
  relay.changeEntries(entries => {
    held.push(...entries.filter(entry => entry.group === (group as string) && entry.sender === bob.id))
    return entries.filter(entry => entry.group !== (group as string))
  })
  // A commit, a greeting under the old name, and a text.
  await bob.client.chats.addMembers(group, [carol.id], WITHIN)
  await bob.say(group, 'said as bob')
  await expect.poll(() => held.length, patience).toBe(3)
  await bob.client.identity.setProfile({ name: 'Robert' })
  await expect.poll(() => alice.client.identity.profileOf(bob.id).name, patience).toBe('Robert')
  const late = held.slice(0, 3).map((entry, at) => ({ ...entry, cursor: relay.shown + 1 + at }))
  relay.say({ kind: 'deliver', entries: late })
  await alice.hears('said as bob')
  expect(alice.client.identity.profileOf(bob.id).name).toBe('Robert')
})
