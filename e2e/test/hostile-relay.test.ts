// A relay that replays, reorders, drops, and gives false answers: noticed or refused, and the chat continues.
import { messageIdOf } from '@postern/bot-api'
import {
  type CallName,
  decodeClientFrame,
  encodeClientFrame,
  encodeRelayFrame,
  type MailboxEntry,
  PROTOCOL_VERSION,
} from '@postern/protocol/relay'
import {
  HostileRelay,
  ManualClock,
  type Pass,
  passTime,
  passWhenAwaited,
  type TestPerson,
  WITHIN,
  Wire,
} from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { expectGoesOn, freeCursors, talkingGroup, talkingPair } from './hostile-world.ts'
import { RecordedLog } from './recorded-log.ts'

const madeUp = { message: messageIdOf('a'.repeat(32)), seq: 1000, ts: Date.now(), duplicate: false }
const missing = 'messages missing: withheld by the relay or given up by the sender'
const isMessage = (entry: MailboxEntry) => entry.kind === 'message'
const undecryptable = (person: TestPerson) => person.next('notice', event => event.notice.code === 'undecryptable')

const test = base.extend('worldOptions', { scope: 'file' }, () => ({ relayLimits: { newPeoplePerDay: 1000 } }))

describe('replays', () => {
  test('[CORE-22.3] an entry that comes again under its cursor is not shown again', async ({ world }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.changeEntries(entries => [...entries, ...entries])
    await alice.say(bob, 'once')
    await bob.hears('once')
    relay.say({ kind: 'deliver', entries: relay.delivered })
    await expectGoesOn(pair)
  })

  test('[CORE-22.3] an entry that comes again under a new cursor is not shown again, and is noticed', async ({
    world,
  }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    await alice.say(bob, 'once')
    await bob.hears('once')
    await freeCursors(world)
    const replayed = relay.delivered.map((entry, at) => ({ ...entry, cursor: relay.shown + 1 + at }))
    relay.say({ kind: 'deliver', entries: replayed })
    await expectGoesOn(pair)
    expect(log.warnings).toContain('message could not be read')
  })

  test('[CORE-22.3, CORE-12.22] a commit and a welcome that come again do not take the group back, and end nothing', async ({
    world,
  }) => {
    const { alice, bob, relay, group } = await talkingGroup(world)
    await alice.client.chats.renameGroup(group, 'renamed', WITHIN)
    await alice.say(group, 'renamed now')
    await bob.hears('renamed now')
    await freeCursors(world)
    const past = relay.delivered.find(
      entry => (entry.group as string) === group && entry.kind === 'message',
    ) as MailboxEntry
    const replayed = [...relay.delivered.slice(0, 3), past]
    relay.say({
      kind: 'deliver',
      entries: replayed.map((entry, at) => ({ ...entry, cursor: relay.shown + 1 + at })),
    })
    await expectGoesOn({ alice, bob, relay }, group)
    expect(bob.client.chats.get(group).name).toBe('renamed')
    const notices = bob.client.journal.read(0, 100).filter(({ json }) => json.includes('"undecryptable"'))
    expect(notices).toEqual([])
  })

  test('[CORE-22.3, CORE-14.1] a welcome for a key package of last resort, which opens it again, does not take the group back either', async ({
    world,
  }) => {
    const wire = new Wire()
    wire.outgoing = withLastResortAlone
    const log = new RecordedLog()
    const alice = await world.person('alice with a patient relay')
    const bob = await world.person('bob with one key package', { wire, log })
    const relay = new HostileRelay(wire)
    wire.outgoing = withLastResortAlone
    await alice.say(bob, 'first')
    await bob.hears('first')
    const welcome = relay.delivered.find(entry => entry.kind === 'welcome') as MailboxEntry
    await freeCursors(world)
    relay.say({ kind: 'deliver', entries: [{ ...welcome, cursor: relay.shown + 1 }] })
    await expect.poll(() => log.warnings).toContain('welcome refused')
    await expectGoesOn({ alice, bob, relay })
    expect(log.warnings).not.toContain('message could not be read')
  })
})

/** The relay has handed out all the others: from now on every welcome is for the same key package. */
const withLastResortAlone: Pass = bytes => {
  const frame = decodeClientFrame(bytes.slice())
  if (frame.kind !== 'call' || frame.name !== 'publishKeyPackages') return [bytes]
  return [encodeClientFrame({ ...frame, request: { ...frame.request, oneTime: [] } })]
}

/** Calls with this name wait until then, and go out with the next frame. */
function heldUntil(isOver: () => boolean, name: CallName): Pass {
  const held: Uint8Array[] = []
  return bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (isOver()) return [...held.splice(0), bytes]
    if (frame.kind !== 'call' || frame.name !== name) return [bytes]
    held.push(bytes.slice())
    return []
  }
}

describe('drops and reorders', () => {
  test('[CORE-22.4, CORE-14.13] a message that is held back is noticed with the next one', async ({ world }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    let heldBack = 0
    relay.changeEntries(entries => {
      heldBack += entries.filter(isMessage).length
      return entries.filter(entry => !isMessage(entry))
    })
    await alice.say(bob, 'held back')
    // A relay may answer before it delivers.
    await expect.poll(() => heldBack).toBeGreaterThan(0)
    relay.repent()
    await alice.say(bob, 'and on')
    await bob.hears('and on')
    expect(log.warnings).toContain(missing)
    await expectGoesOn(pair)
  })

  test('[CORE-22.4, CORE-22.11] entries in another order are noticed and read again: none is lost or shown twice', async ({
    world,
  }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    const waiting: MailboxEntry[] = []
    relay.changeEntries(entries => {
      waiting.push(...entries.filter(isMessage))
      if (waiting.length < 3) return []
      relay.repent()
      return waiting.splice(0).reverse()
    })
    for (const text of ['one', 'two', 'three']) await alice.say(bob, text)
    await bob.hears('three')
    await expectGoesOn(pair)
    expect(bob.texts(alice).filter(text => ['one', 'two', 'three'].includes(text))).toEqual(['one', 'two', 'three'])
    expect(log.warnings).toContain('entries missing or out of order; reading again')
  })

  test('[CORE-22.4] a commit that is held back is noticed, and the member is added anew', async ({ world }) => {
    const { alice, bob, relay, group } = await talkingGroup(world)
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'commit'))
    await alice.client.chats.renameGroup(group, 'renamed', WITHIN)
    relay.repent()
    await alice.say(group, 'cannot be read')
    await undecryptable(bob)
    await expectGoesOn({ alice, bob, relay }, group)
    expect(bob.client.chats.get(group).name).toBe('renamed')
    expect(bob.texts(group)).not.toContain('cannot be read')
  })

  test('[CORE-22.4] a member who loses the group a second time is added anew again', async ({ world }) => {
    const { alice, bob, relay, group } = await talkingGroup(world)
    for (const title of ['first', 'second']) {
      relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'commit'))
      await alice.client.chats.renameGroup(group, title, WITHIN)
      relay.repent()
      await alice.say(group, `cannot be read ${title}`)
      await undecryptable(bob)
      await expectGoesOn({ alice, bob, relay }, group)
      expect(bob.client.chats.get(group).name).toBe(title)
    }
  })

  test('[CORE-22.4] a member who is added anew by two others, one after the other, is still in the chat', async ({
    world,
  }) => {
    const { alice, bob, relay, group } = await talkingGroup(world)
    const isWelcome = (entry: MailboxEntry) => entry.kind === 'welcome' && entry.group === (group as string)
    const welcomes = () => relay.delivered.filter(isWelcome).length
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'commit'))
    await alice.client.chats.renameGroup(group, 'renamed', WITHIN)
    relay.repent()
    // Carol is asked when alice has already helped.
    bob.wire.outgoing = heldUntil(() => welcomes() > 1, 'takeKeyPackages')
    await alice.say(group, 'cannot be read')
    await expect.poll(welcomes).toBe(3)
    await expectGoesOn({ alice, bob, relay }, group)
    expect(bob.client.chats.get(group).state).toBe('active')
    expect(
      bob.client.journal
        .read(0, 1000)
        .map(entry => entry.json)
        .join(),
    ).not.toContain('"removed"')
  })

  test('[CORE-22.4] a welcome that is held back is noticed, and both can talk afterwards', async ({ world }) => {
    const { bob, relay, log } = await talkingPair(world)
    const carol = await world.person('carol with a new chat')
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'welcome'))
    await carol.say(bob, 'without a welcome')
    await undecryptable(bob)
    await expectGoesOn({ alice: carol, bob, relay })
    expect(log.warnings).toContain('entry of an unknown group ignored')
  })

  test('[CORE-22.5] a message that the relay claims to have is its sender’s word against the relay’s, and the next one arrives', async ({
    world,
  }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, aliceLog } = pair
    relay.answerInstead('appendMarked', () => ({ accepted: madeUp, epoch: 1 }))
    await bob.say(alice, 'swallowed')
    await expectGoesOn(pair)
    expect(aliceLog.warnings).toContain(missing)
    expect(alice.texts(bob)).not.toContain('swallowed')
  })

  test('[CORE-22.5] a commit that the relay claims to have is made good when it is honest again', async ({ world }) => {
    const clock = new ManualClock(Date.now())
    const { alice, bob, relay, group } = await talkingGroup(world, { clock })
    relay.answerInstead('commit', () => ({ accepted: madeUp, epoch: 2 }))
    const renaming = bob.client.chats.renameGroup(group, 'swallowed', { timeoutMs: 300 })
    await expect(passWhenAwaited(clock, 300, renaming)).rejects.toMatchObject({ code: 'send-in-doubt' })
    relay.repent()
    bob.wire.drop()
    await passTime(clock, bob.client.whenOnline({ timeoutMs: 3_600_000 }))
    // Bob's client may retry after a pause of its clock.
    await passTime(clock, expectGoesOn({ alice, bob, relay }, group))
    expect(alice.client.chats.get(group).name).toBe(bob.client.chats.get(group).name)
  })
})

describe('frames', () => {
  const garbage: [string, Uint8Array][] = [
    ['nothing', new Uint8Array(0)],
    ['another version', Uint8Array.of(9, 129, 0, 0)],
    ['an unknown kind', Uint8Array.of(PROTOCOL_VERSION, 200, 1, 2, 3)],
    ['a list without an end', Uint8Array.of(PROTOCOL_VERSION, 129, 255, 255, 255, 255)],
    ['noise', Uint8Array.from({ length: 500 }, (_, at) => (at * 73) % 256)],
    ['more than a frame may have', new Uint8Array(5 * 1024 * 1024)],
  ]

  test.for(garbage)('[CORE-22.6] %s is refused, and the client connects again', async ([_what, bytes], { world }) => {
    const pair = await talkingPair(world)
    pair.bob.wire.inject(bytes)
    expect(pair.log.warnings).toContain('unreadable frame received from the relay')
    await pair.bob.online()
    await expectGoesOn(pair)
  })

  test('[CORE-22.6] answers to calls that were never made, and a failure out of nowhere, change nothing', async ({
    world,
  }) => {
    const pair = await talkingPair(world)
    for (let id = 0; id < 200; id++)
      pair.bob.wire.inject(
        encodeRelayFrame({ kind: 'answer', name: 'appendMarked', id, answer: { accepted: madeUp, epoch: 9 } }),
      )
    pair.bob.wire.inject(
      encodeRelayFrame({
        kind: 'failure',
        id: 4_000_000,
        code: 'x',
        message: 'y',
        retryAtMs: undefined,
        serial: undefined,
      }),
    )
    await expectGoesOn(pair)
  })

  test('[CORE-22.6] an answer of another kind than the call is refused', async ({ world }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.change(frame =>
      frame.kind === 'answer' && frame.name === 'appendMarked'
        ? [{ kind: 'answer', name: 'ping', id: frame.id, answer: { nowMs: 1 } }]
        : [frame],
    )
    await expect(bob.say(alice, 'answered by a ping')).rejects.toMatchObject({ code: 'relay-broken' })
    await expectGoesOn(pair)
  })

  test('[CORE-22.6] a failure with an unknown code is an error that names the relay', async ({ world }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.change(frame =>
      frame.kind === 'answer' && frame.name === 'appendMarked'
        ? [{ kind: 'failure', id: frame.id, code: 'made-up', message: 'no', retryAtMs: undefined, serial: undefined }]
        : [frame],
    )
    await expect(bob.say(alice, 'refused')).rejects.toMatchObject({ code: 'relay-broken' })
    await expectGoesOn(pair)
  })

  test('[CORE-22.6] a challenge in the middle of a session, and many at once, do not end the chat', async ({
    world,
  }) => {
    const pair = await talkingPair(world)
    for (let count = 0; count < 20; count++)
      pair.relay.say({ kind: 'challenge', nonce: new Uint8Array(32).fill(count), nowMs: 1 })
    await expectGoesOn(pair)
  })

  test('[CORE-22.10] a session that claims a later past makes no update id unusable', async ({ world }) => {
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
