// Sizes that the relay sees: they are the same for titles and names of every usual length.
import { settingsOf } from '@postern/mls'
import { type CallRequest, decodeClientFrame } from '@postern/protocol/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { coreOf, groupOf } from './hostile/modified-client.ts'

const LENGTHS = [1, 7, 30, 63, 64, 100]

/** The commits and profiles that the person sends from now on. */
function sentBy({ wire }: TestPerson) {
  const commits: CallRequest<'commit'>[] = []
  const profiles: CallRequest<'putProfile'>[] = []
  wire.outgoing = frame => {
    const asked = decodeClientFrame(frame.slice())
    if (asked.kind === 'call' && asked.name === 'commit') commits.push(asked.request)
    if (asked.kind === 'call' && asked.name === 'putProfile') profiles.push(asked.request)
    return [frame]
  }
  return { commits, profiles }
}

const unique = <T>(values: T[]): number => new Set(values).size

test('[CORE-2.14] commits and welcomes have one size, whatever the title', async ({ alice, bob, carol }) => {
  const { commits } = sentBy(alice)
  for (const length of LENGTHS) {
    const name = 'x'.repeat(length)
    const { id } = await alice.client.chats.createGroup({ name, members: [bob.id] }, WITHIN)
    await alice.client.chats.renameGroup(id, 'y'.repeat(length), WITHIN)
    await alice.client.chats.addMembers(id, [carol.id], WITHIN)
    await carol.next('chat', event => event.chat_id === id)
    expect(carol.client.chats.get(id).name).toBe('y'.repeat(length))
  }
  expect(commits).toHaveLength(3 * LENGTHS.length)
  const inTurn = [0, 1, 2].map(turn => commits.filter((_, at) => at % 3 === turn))
  for (const alike of inTurn) {
    expect(unique(alike.map(({ payload }) => payload.length))).toBe(1)
    expect(unique(alike.map(({ welcome }) => welcome?.length))).toBe(1)
  }
})

test('[CORE-2.14] profiles have one size, whatever the name and the words about oneself', async ({ alice }) => {
  const { profiles } = sentBy(alice)
  for (const length of LENGTHS.slice(0, 4)) {
    const before = profiles.length
    await alice.client.identity.setProfile({ name: 'x'.repeat(length), about: 'y'.repeat(length) })
    await expect.poll(() => profiles.length).toBeGreaterThan(before)
  }
  expect(unique(profiles.map(({ blob }) => blob.length))).toBe(1)
})

test('[CORE-2.14] settings of an older client are padded with the next member that is added', async ({
  alice,
  bob,
  carol,
}) => {
  const id = await alice.createGroup('team', [bob])
  const { groups } = coreOf(alice)
  // As a client of 0.2 stores them: the same JSON, and nothing after it. Both members have them.
  for (const person of [alice, bob])
    await coreOf(person).groups.run(groupOf(person, id), async live => {
      const { state } = live.session
      const [settings] = state.groupContext.extensions
      if (!settings) throw new Error('no settings')
      const extensionData = new TextEncoder().encode(new TextDecoder().decode(settings.extensionData).trimEnd())
      const groupContext = { ...state.groupContext, extensions: [{ ...settings, extensionData }] }
      live.session = { ...live.session, state: { ...state, groupContext } }
    })
  const sizeOf = () => groups.run(groupOf(alice, id), async live => settingsOf(live.session).length)
  expect(await sizeOf()).toBeLessThan(256)
  await alice.client.chats.addMembers(id, [carol.id], WITHIN)
  expect(await sizeOf()).toBe(256)
  await carol.next('chat', event => event.chat_id === id)
  await bob.say(id, 'still together')
  await carol.hears('still together')
  await alice.hears('still together')
})
