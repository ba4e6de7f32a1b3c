// A relay that replays, reorders, drops, tampers, mislabels and lies: noticed or refused, and the chat goes on.
import type { GroupId, MessageId } from '@postern/protocol'
import { type Entry, encodeRelayFrame } from '@postern/protocol/relay'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, World } from '../src/index.ts'
import { expectGoesOn, freeCursors, talkingGroup, talkingPair } from './hostile-world.ts'

let world: World
beforeAll(async () => {
  world = await World.start({ relayLimits: { newPeoplePerDay: 1000 } })
})
afterAll(() => world.stop())

const WITHIN = { deadlineMs: 10_000 }
const isMessage = (entry: Entry) => entry.kind === 'message'
const undecryptable = (person: Person) => person.next('notice', event => event.notice.code === 'undecryptable')

describe('replays', () => {
  test('an entry that comes again under its cursor is not shown again', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.changeEntries(entries => [...entries, ...entries])
    await alice.say(bob, 'once')
    await bob.hears('once')
    relay.say({ kind: 'deliver', entries: relay.delivered })
    await expectGoesOn(pair)
  })

  test('an entry that comes again under a new cursor is not shown again, and is noticed', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    await alice.say(bob, 'once')
    await bob.hears('once')
    await freeCursors(world)
    const replayed = relay.delivered.map((entry, at) => ({ ...entry, cursor: relay.shown + 1 + at }))
    relay.say({ kind: 'deliver', entries: replayed })
    await expectGoesOn(pair)
    expect(log.warnings).toContain('an entry could not be read')
  })

  test('a commit and a welcome that come again do not take the group back', async () => {
    const { alice, bob, relay, group, ...rest } = await talkingGroup(world)
    await alice.client.renameGroup(group, 'renamed', WITHIN)
    await alice.say(group, 'renamed now')
    await bob.hears('renamed now')
    await freeCursors(world)
    const replayed = relay.delivered.map((entry, at) => ({ ...entry, cursor: relay.shown + 1 + at }))
    relay.say({ kind: 'deliver', entries: replayed.slice(0, 3) })
    await expectGoesOn({ ...rest, alice, bob, relay }, group)
    expect(bob.client.chat(group).name).toBe('renamed')
  })
})

describe('drops and reorders', () => {
  test('a message that is held back is noticed with the next one', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    relay.changeEntries(entries => entries.filter(entry => !isMessage(entry)))
    await alice.say(bob, 'held back')
    relay.repent()
    await alice.say(bob, 'and on')
    await bob.hears('and on')
    expect(log.warnings).toContain('messages are missing: the relay held them back, or their sender gave them up')
    await expectGoesOn(pair)
  })

  test('entries in another order are noticed, and none is shown twice', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    const waiting: Entry[] = []
    relay.changeEntries(entries => {
      waiting.push(...entries)
      return waiting.length < 3 ? [] : waiting.splice(0).reverse()
    })
    for (const text of ['one', 'two', 'three']) await alice.say(bob, text)
    await bob.hears('three')
    await expectGoesOn(pair)
    expect(log.warnings).toContain('the relay delivers out of order')
  })

  test('a commit that is held back is noticed, and the member is added anew', async () => {
    const { alice, bob, relay, group, ...rest } = await talkingGroup(world)
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'commit'))
    await alice.client.renameGroup(group, 'renamed', WITHIN)
    relay.repent()
    await alice.say(group, 'cannot be read')
    await undecryptable(bob)
    await expectGoesOn({ ...rest, alice, bob, relay }, group)
    expect(bob.client.chat(group).name).toBe('renamed')
    expect(bob.texts(group)).not.toContain('cannot be read')
  })

  test('a welcome that is held back is noticed, and both can talk afterwards', async () => {
    const { bob, relay, log } = await talkingPair(world)
    const carol = await world.person('carol with a new chat')
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'welcome'))
    await carol.say(bob, 'without a welcome')
    await expect.poll(() => relay.delivered.filter(isMessage).length).toBeGreaterThan(0)
    relay.repent()
    await expectGoesOn({ alice: carol, bob, relay, log })
    expect(log.warnings).toContain('an entry of a group that is not known here')
  })

  test('a message that the relay claims to have is its sender’s word against the relay’s, and the next one arrives', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    let seq = 1000
    relay.answerInstead('append', () => ({
      accepted: {
        message: relay.delivered[0]?.group as string as MessageId,
        seq: seq++,
        ts: Date.now(),
        duplicate: false,
      },
      epoch: 1,
    }))
    await bob.client.sendText(alice.chatId, { text: 'swallowed' }, WITHIN).catch(() => undefined)
    await expectGoesOn(pair)
    expect(alice.texts(bob)).not.toContain('swallowed')
  })

  test('a commit that the relay claims to have is made good when it is honest again', async () => {
    const { alice, bob, relay, group, ...rest } = await talkingGroup(world)
    relay.answerInstead('commit', () => ({
      accepted: { message: 'a'.repeat(32) as MessageId, seq: 1000, ts: Date.now(), duplicate: false },
      epoch: 2,
    }))
    await expect(bob.client.renameGroup(group, 'swallowed', { deadlineMs: 300 })).rejects.toMatchObject({
      code: 'send-in-doubt',
    })
    relay.repent()
    bob.wire.drop()
    await expectGoesOn({ ...rest, alice, bob, relay }, group)
    expect(alice.client.chat(group).name).toBe(bob.client.chat(group).name)
  })
})

describe('tampering', () => {
  const regions = {
    'MLS version': 1,
    'wire format': 3,
    'length of the group id': 4,
    'group id': 8,
    'epoch, up': 27,
    'epoch, down': 28,
    'content type': 29,
    'authenticated data': 30,
    'length of the sender data': 31,
    'sender data': 40,
    'length of the ciphertext': 60,
    ciphertext: 80,
    'end of the ciphertext': -1,
  }
  const spoil = (payload: Uint8Array, at: number): Uint8Array => {
    const spoilt = payload.slice()
    const place = at < 0 ? spoilt.length + at : at
    spoilt[place] = (spoilt[place] as number) ^ 1
    return spoilt
  }

  test.each(Object.entries(regions))('a message with another %s is refused and noticed', async (region, at) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: spoil(entry.payload, at) })))
    await alice.say(bob, 'tampered with')
    // One of a past epoch may be a replay of what was read then: it is worth a line, and no notice.
    if (region === 'epoch, down')
      await expect.poll(() => log.warnings).toContain('an entry of a past epoch was sent again')
    else await undecryptable(bob)
    await expectGoesOn(pair)
    expect(bob.texts(alice)).not.toContain('tampered with')
  })

  test.each(Object.entries(regions))(
    'a commit with another %s is refused and the member added anew',
    async (_region, at) => {
      const { alice, bob, relay, group, log } = await talkingGroup(world)
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: spoil(entry.payload, at) })))
      await alice.client.renameGroup(group, 'renamed', WITHIN)
      await expect.poll(() => log.warnings.length).toBeGreaterThan(0)
      relay.repent()
      await alice.say(group, 'cannot be read')
      await undecryptable(bob)
      await expectGoesOn({ alice, bob, relay, log }, group)
      expect(bob.client.chat(group).name).toBe('renamed')
    },
  )

  test('a welcome that was tampered with is not followed, and both can talk afterwards', async () => {
    const { bob, relay, log } = await talkingPair(world)
    const carol = await world.person('carol with a spoilt welcome')
    relay.changeEntries(entries =>
      entries.map(entry => (entry.kind === 'welcome' ? { ...entry, payload: spoil(entry.payload, 200) } : entry)),
    )
    await carol.say(bob, 'behind a spoilt welcome')
    await expect.poll(() => log.warnings).toContain('a welcome that does not hold was not followed')
    await expectGoesOn({ alice: carol, bob, relay, log })
  })
})

describe('labels', () => {
  test('the sender is who signed, whatever the relay says', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    const mallory = await world.person('mallory who takes the blame')
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, sender: mallory.id })))
    await alice.say(bob, 'from alice')
    expect((await bob.hears('from alice')).from.id).toBe(alice.id)
    await expectGoesOn(pair)
  })

  test('an entry under the label of another group is refused and noticed', async () => {
    const { alice, bob, carol, relay, group, log } = await talkingGroup(world)
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, group: group as string as GroupId })))
    await alice.say(bob, 'said in private')
    await undecryptable(bob)
    expect(bob.texts(group)).not.toContain('said in private')
    await expectGoesOn({ alice, bob, relay, log })
    await expectGoesOn({ alice: carol, bob, relay, log }, group)
  })

  test.each(['message', 'commit', 'welcome', 'direct', 'leave'] as const)(
    'a %s that is none is refused or read as what it is',
    async kind => {
      const pair = await talkingPair(world)
      const { alice, bob, relay, log } = pair
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, kind })))
      await alice.say(bob, 'under a wrong label')
      await expect
        .poll(() => relay.shown > 0 && (bob.texts(alice).includes('under a wrong label') || log.warnings.length > 0))
        .toBe(true)
      await expectGoesOn(pair)
    },
  )

  test.each([0, 1, Number.MAX_SAFE_INTEGER])(
    'a message of the time %i is shown once and holds nothing up',
    async ts => {
      const pair = await talkingPair(world)
      const { alice, bob, relay } = pair
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts })))
      for (const text of ['first', 'second', 'third']) await alice.say(bob, text)
      await bob.hears('third')
      await expectGoesOn(pair)
      for (const text of ['first', 'second', 'third']) expect(bob.texts(alice)).toContain(text)
    },
  )

  test('a cursor from far ahead does not hide what comes later', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, cursor: Number.MAX_SAFE_INTEGER })))
    await alice.say(bob, 'far ahead')
    await bob.hears('far ahead')
    relay.repent()
    bob.wire.drop()
    await expectGoesOn(pair)
  })
})

describe('frames', () => {
  const garbage: [string, Uint8Array][] = [
    ['nothing', new Uint8Array(0)],
    ['another version', Uint8Array.of(9, 129, 0, 0)],
    ['an unknown kind', Uint8Array.of(1, 200, 1, 2, 3)],
    ['a list without an end', Uint8Array.of(1, 129, 255, 255, 255, 255)],
    ['noise', Uint8Array.from({ length: 500 }, (_, at) => (at * 73) % 256)],
    ['more than a frame may have', new Uint8Array(5 * 1024 * 1024)],
  ]

  test.each(garbage)('%s is refused, and the client connects again', async (_what, bytes) => {
    const pair = await talkingPair(world)
    pair.bob.wire.inject(bytes)
    expect(pair.log.warnings).toContain('the relay sent what cannot be read')
    await pair.bob.online()
    await expectGoesOn(pair)
  })

  test('answers to calls that were never made, and a failure out of nowhere, change nothing', async () => {
    const pair = await talkingPair(world)
    const accepted = { message: 'a'.repeat(32) as MessageId, seq: 7, ts: 7, duplicate: false }
    for (let id = 0; id < 200; id++)
      pair.bob.wire.inject(encodeRelayFrame({ kind: 'answer', name: 'append', id, answer: { accepted, epoch: 9 } }))
    pair.bob.wire.inject(
      encodeRelayFrame({ kind: 'failure', id: 4_000_000, code: 'x', message: 'y', retryAtMs: undefined }),
    )
    await expectGoesOn(pair)
  })

  test('an answer of another kind than the call is refused', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.change(frame =>
      frame.kind === 'answer' && frame.name === 'append'
        ? [{ kind: 'answer', name: 'ping', id: frame.id, answer: { nowMs: 1 } }]
        : [frame],
    )
    await expect(bob.say(alice, 'answered by a ping')).rejects.toMatchObject({ code: 'relay-broken' })
    await expectGoesOn(pair)
  })

  test('a failure with an unknown code is an error that names the relay', async () => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.change(frame =>
      frame.kind === 'answer' && frame.name === 'append'
        ? [{ kind: 'failure', id: frame.id, code: 'made-up', message: 'no', retryAtMs: undefined }]
        : [frame],
    )
    await expect(bob.say(alice, 'refused')).rejects.toMatchObject({ code: 'relay-broken' })
    await expectGoesOn(pair)
  })

  test('a challenge in the middle of a session, and many at once, do not end the chat', async () => {
    const pair = await talkingPair(world)
    for (let count = 0; count < 20; count++)
      pair.relay.say({ kind: 'challenge', nonce: new Uint8Array(32).fill(count), nowMs: 1 })
    await expectGoesOn(pair)
  })

  test('a session that claims a later past makes no update id unusable', async () => {
    const pair = await talkingPair(world)
    const { bob, relay } = pair
    relay.changeAnswer('authenticate', answer => ({
      ...answer,
      cursor: Number.MAX_SAFE_INTEGER,
      mark: Number.MAX_SAFE_INTEGER,
    }))
    bob.wire.drop()
    await expect.poll(() => bob.client.isOnline).toBe(true)
    await expectGoesOn(pair)
    expect(bob.client.journal.newest()).toBeLessThan(Number.MAX_SAFE_INTEGER / 2)
  })
})
