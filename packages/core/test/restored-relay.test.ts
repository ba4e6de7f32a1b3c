// A relay that was restored from a backup:
// it lacks what its clients know, and they continue with each other all the same.
import { isCoded, SEND_ID_BYTES, sendIdFromBytes } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame, encodeRelayFrame } from '@postern/protocol/relay'
import { HostileRelay, type ManualClock, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const SECOND_MS = 1000
const PAUSE_MS = 100

const test = base
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))
  .extend('bob', ({ world, clock }) => world.person('bob', { clock }))
  .extend('carol', ({ world, clock }) => world.person('carol', { clock }))

/** A chat refuses messages until it has healed, so the sender tries again. */
async function saySoon(from: TestPerson, text: string, { to, clock }: { to: TestPerson | string; clock: ManualClock }) {
  const isSaid = async () => {
    clock.advance(SECOND_MS)
    return await from.say(to as TestPerson, text).then(
      () => 'said',
      (error: unknown) => String((error as { code?: string }).code),
    )
  }
  await expect.poll(isSaid, { timeout: WITHIN.timeoutMs, interval: 50 }).toBe('said')
}

/**
 * Only pauses before the next connection pass. A login takes the machine's time: on a busy machine, a clock that moves
 * meanwhile would end the login by its timeout, and the client would send everything again.
 */
async function restored(people: readonly TestPerson[], clock: ManualClock): Promise<void> {
  const areOnline = () => {
    const isLoggingIn = people.some(({ client, wire }) => wire.isConnected && !client.isOnline)
    if (!isLoggingIn) clock.advance(PAUSE_MS)
    return people.every(person => person.client.isOnline)
  }
  await expect.poll(areOnline, { timeout: WITHIN.timeoutMs }).toBe(true)
}

test('[CORE-12.15] a private chat whose keys were renewed since, and one that was opened since, go on both ways', async ({
  world,
  clock,
  alice,
  bob,
  carol,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  await world.backUpRelay()
  await restored([alice, bob, carol], clock)
  const core = alice.client['core']
  const chat = core.store.get<{ group_id: string }>('SELECT group_id FROM chat WHERE id = ?', bob.chatId)
  await core.store.write(database =>
    database.run('UPDATE mls_group SET needs_update = 1 WHERE id = ?', chat?.group_id ?? ''),
  )
  await saySoon(alice, 'with new keys', { to: bob, clock })
  await bob.hears('with new keys')
  await carol.say(alice, 'a new chat')
  await alice.hears('a new chat')
  await world.restoreRelay()
  await restored([alice, bob, carol], clock)

  await saySoon(alice, 'do you hear me?', { to: bob, clock })
  await bob.hears('do you hear me?')
  await saySoon(bob, 'yes', { to: alice, clock })
  await alice.hears('yes')
  expect(bob.texts(alice)).toEqual(['before', 'with new keys', 'do you hear me?', 'yes'])
  expect(alice.texts(bob)).toEqual(bob.texts(alice))
  await saySoon(alice, 'and you?', { to: carol, clock })
  await carol.hears('and you?')
  expect(carol.texts(alice)).toEqual(['a new chat', 'and you?'])
})

test('[CORE-12.15] a group that was changed since is carried on by an admin, and nobody is lost', async ({
  world,
  clock,
  alice,
  bob,
  carol,
}) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)
  await alice.say(chat, 'before')
  await Promise.all([bob.hears('before'), carol.hears('before')])
  await world.backUpRelay()
  await restored([alice, bob, carol], clock)
  await alice.client.chats.renameGroup(chat, 'renamed', WITHIN)
  await alice.say(chat, 'since then')
  await Promise.all([bob.hears('since then'), carol.hears('since then')])
  await world.restoreRelay()
  await restored([alice, bob, carol], clock)

  await saySoon(bob, 'are we all here?', { to: chat, clock })
  await Promise.all([alice.hears('are we all here?'), carol.hears('are we all here?')])
  await saySoon(alice, 'I am', { to: chat, clock })
  await saySoon(carol, 'so am I', { to: chat, clock })
  await alice.hears('so am I')
  await bob.hears('so am I')
  for (const person of [alice, bob, carol]) {
    expect(person.texts(chat)).toEqual(['before', 'since then', 'are we all here?', 'I am', 'so am I'])
    expect(person.client.chats.get(chat).name).toBe('renamed')
  }
})

test('[CORE-12.17] a relay that is restored from one backup again and again ends no group: neither speaker nor committer', async ({
  world,
  clock,
  alice,
  bob,
  carol,
}) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)
  await alice.say(chat, 'before')
  await Promise.all([bob.hears('before'), carol.hears('before')])
  await world.backUpRelay()
  await restored([alice, bob, carol], clock)
  const said = ['before']
  const say = async (from: TestPerson, text: string) => {
    await saySoon(from, text, { to: chat, clock })
    said.push(text)
    await Promise.all([alice, bob, carol].filter(other => other !== from).map(other => other.hears(text)))
  }
  for (const round of ['first', 'second', 'third']) {
    await alice.client.chats.renameGroup(chat, `renamed before the ${round}`, WITHIN)
    await world.restoreRelay()
    await restored([alice, bob, carol], clock)
    await say(bob, `bob after the ${round}`)
    await say(alice, `alice after the ${round}`)
    await say(carol, `carol after the ${round}`)
  }
  for (const person of [alice, bob, carol]) {
    expect(person.texts(chat)).toEqual(said)
    expect(person.client.chats.get(chat)).toMatchObject({ name: 'renamed before the third', state: 'active' })
  }
})

test('[CORE-12.15] everybody who speaks at the same moment in a chat that the relay has forgotten is asked to wait', async ({
  world,
  clock,
  alice,
  bob,
}) => {
  await world.backUpRelay()
  await restored([alice, bob], clock)
  await alice.say(bob, 'opened since the backup')
  await bob.hears('opened since the backup')
  const core = alice.client['core']
  await core.store.write(database => database.run('UPDATE mls_group SET needs_update = 1'))
  await world.restoreRelay()
  await restored([alice, bob], clock)
  const codes = await Promise.all(
    ['one', 'two', 'three'].map(text =>
      alice.say(bob, text).then(
        () => 'said',
        (error: unknown) => (isCoded(error) ? error.code : String(error)),
      ),
    ),
  )
  expect(codes.filter(code => code !== 'said' && code !== 'chat-healing')).toEqual([])
  await saySoon(alice, 'do you hear me?', { to: bob, clock })
  await bob.hears('do you hear me?')
})

test('[CORE-12.15] a relay that lies about an epoch gains nothing: what it has taken is heard once, under the same key', async ({
  clock,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  let lies = 0
  alice.wire.incoming = frame => {
    const told = decodeRelayFrame(frame)
    if (told.kind !== 'answer' || told.name !== 'appendMarked' || lies++ > 0) return [frame]
    return [encodeRelayFrame({ ...told, answer: { accepted: undefined, epoch: 0 } })]
  }
  const send = sendIdFromBytes(new Uint8Array(SEND_ID_BYTES).fill(7))
  const under = { ...WITHIN, idempotency: { key: 'k', request: new Uint8Array(32), send } }
  const isSaid = async () => {
    clock.advance(SECOND_MS)
    return await alice.client.messages.sendText(bob.chatId, { text: 'once' }, under).then(
      () => 'said',
      (error: unknown) => (isCoded(error, 'chat-healing') ? 'healing' : String(error)),
    )
  }
  expect(await isSaid()).toBe('healing')
  await expect.poll(isSaid, { timeout: WITHIN.timeoutMs, interval: 50 }).toBe('said')
  await alice.say(bob, 'last')
  await bob.hears('last')
  expect(bob.texts(alice)).toEqual(['before', 'once', 'last'])
  expect(alice.texts(bob)).toEqual(['before', 'once', 'last'])
})

test('[CORE-12.16] the relay is given new key packages and the profile again, once for each of its incarnations', async ({
  world,
  clock,
  alice,
  bob,
}) => {
  await expect.poll(() => publishedBy(bob)).toBe(1)
  await world.backUpRelay()
  await restored([alice, bob], clock)
  await bob.client.identity.setProfile({ about: 'changed since the backup' })
  await expect.poll(() => publishedBy(bob)).toBe(2)
  const said: string[] = []
  bob.wire.outgoing = frame => {
    const asked = decodeClientFrame(frame)
    if (asked.kind === 'call' && asked.name === 'publishKeyPackages' && asked.request.replace) said.push('key packages')
    if (asked.kind === 'call' && asked.name === 'putProfile') said.push(`profile ${asked.request.version}`)
    return [frame]
  }
  await world.restoreRelay()
  await restored([alice, bob], clock)
  await expect.poll(() => said).toEqual(['key packages', 'profile 2'])
  await expect.poll(() => publishedBy(bob)).toBe(2)
  await world.stopRelay()
  await world.startRelay()
  await restored([alice, bob], clock)
  await saySoon(alice, 'hello', { to: bob, clock })
  await bob.hears('hello')
  expect(said).toEqual(['key packages', 'profile 2'])
})

const publishedBy = (person: TestPerson): number =>
  person.client['core'].store.get<{ version: number }>('SELECT published_version AS version FROM account')?.version ?? 0

test('[CORE-12.16] a relay that lies about its incarnation at every login loses and repeats nothing', async ({
  clock,
  alice,
  bob,
}) => {
  const relay = new HostileRelay(bob.wire)
  let lives = 0
  relay.changeAnswer('authenticate', session => ({ ...session, incarnation: new Uint8Array(16).fill(++lives) }))
  const wanted: string[] = []
  for (let life = 0; life < 4; life++) {
    for (const text of [`a ${life}`, `b ${life}`]) {
      await saySoon(alice, text, { to: bob, clock })
      wanted.push(text)
    }
    bob.wire.drop()
    await restored([alice, bob], clock)
    await saySoon(bob, `c ${life}`, { to: alice, clock })
    wanted.push(`c ${life}`)
  }
  await alice.hears('c 3')
  expect(lives).toBe(4)
  expect(bob.texts(alice)).toEqual(wanted)
  expect(alice.texts(bob)).toEqual(wanted)
  const told = bob.client.journal.read(0, 1000).flatMap(({ json }) => JSON.parse(json).message?.text ?? [])
  expect(told.filter((text: string) => !text.startsWith('c'))).toEqual(wanted.filter(text => !text.startsWith('c')))
})
