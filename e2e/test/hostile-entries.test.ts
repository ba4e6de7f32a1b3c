// A relay that tampers with entries, or misrepresents them: refused, noticed, and the chat continues.
import type { GroupId } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { expectGoesOn, talkingGroup, talkingPair } from './hostile-world.ts'

const isMessage = (entry: MailboxEntry) => entry.kind === 'message'
const undecryptable = (person: TestPerson) => person.next('notice', event => event.notice.code === 'undecryptable')
const hasNoticedUndecryptable = ({ client }: TestPerson) =>
  client.journal.read(0, 1000).some(({ json }) => json.includes('"undecryptable"'))

const test = base.extend('worldOptions', { scope: 'file' }, () => ({ relayLimits: { newPeoplePerDay: 1000 } }))

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

  test.for(Object.entries(regions))(
    '[CORE-22.1] a message with another %s is refused and noticed',
    async ([region, at], { world }) => {
      const pair = await talkingPair(world)
      const { alice, bob, relay, log } = pair
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: spoil(entry.payload, at) })))
      await alice.say(bob, 'tampered with')
      // An entry of a past epoch may be a replay of one that was read then: it causes a log line, and no notice.
      if (region === 'epoch, down') await expect.poll(() => log.warnings).toContain('entry of a past epoch repeated')
      else await undecryptable(bob)
      await expectGoesOn(pair)
      expect(bob.texts(alice)).not.toContain('tampered with')
    },
  )

  test('[CORE-22.12] a message that could not be read is one line with chat, message, sender, epochs and cause, and no content', async ({
    world,
  }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay, log } = pair
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: spoil(entry.payload, -1) })))
    await alice.say(bob, 'a secret word')
    await undecryptable(bob)
    const line = log.lines.find(({ text }) => text === 'message could not be read')
    expect(line).toMatchObject({
      level: 'warn',
      fields: {
        chat: alice.chatId,
        sender: alice.id,
        message: expect.stringMatching(/^[a-z2-7]+$/) as string,
        group: expect.stringMatching(/^[a-z2-7]{26}$/) as string,
        kind: 'message',
        code: 'mls-undecryptable',
        reason: 'The message does not decrypt or verify.',
        epoch: expect.any(Number) as number,
        ownEpoch: expect.any(Number) as number,
      },
    })
    expect(JSON.stringify(log.lines)).not.toContain('secret')
    await expectGoesOn(pair)
  })

  test.for(Object.entries(regions))(
    '[CORE-22.1] a commit with another %s is refused and the member added anew',
    async ([_region, at], { world }) => {
      const { alice, bob, relay, group, log } = await talkingGroup(world)
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: spoil(entry.payload, at) })))
      await alice.client.chats.renameGroup(group, 'renamed', WITHIN)
      await expect.poll(() => log.warnings.length).toBeGreaterThan(0)
      relay.repent()
      await alice.say(group, 'cannot be read')
      // Bob may have been added again before these words: then he reads them.
      await expect.poll(() => bob.texts(group).includes('cannot be read') || hasNoticedUndecryptable(bob)).toBe(true)
      await expectGoesOn({ alice, bob, relay }, group)
      expect(bob.client.chats.get(group).name).toBe('renamed')
    },
  )

  test('[CORE-22.1] a welcome that was tampered with is not followed, and both can talk afterwards', async ({
    world,
  }) => {
    const { bob, relay, log } = await talkingPair(world)
    const carol = await world.person('carol with a spoilt welcome')
    relay.changeEntries(entries =>
      entries.map(entry => (entry.kind === 'welcome' ? { ...entry, payload: spoil(entry.payload, 200) } : entry)),
    )
    await carol.say(bob, 'behind a spoilt welcome')
    await undecryptable(bob)
    expect(log.warnings).toContain('invalid welcome ignored')
    await expectGoesOn({ alice: carol, bob, relay })
  })
})

describe('labels', () => {
  test('[CORE-22.2] a message that the relay calls another account’s is shown as nobody’s, and noticed', async ({
    world,
  }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    const mallory = await world.person('mallory who takes the blame')
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, sender: mallory.id })))
    await alice.say(bob, 'from alice')
    await undecryptable(bob)
    expect(bob.texts(alice)).not.toContain('from alice')
    expect(bob.client.chats.list().map(({ id }) => id)).not.toContain(mallory.chatId)
    await expectGoesOn(pair)
  })

  test('[CORE-22.1] an entry under the label of another group is refused and noticed', async ({ world }) => {
    const { alice, bob, carol, relay, group } = await talkingGroup(world)
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, group: group as string as GroupId })))
    await alice.say(bob, 'said in private')
    await undecryptable(bob)
    expect(bob.texts(group)).not.toContain('said in private')
    await expectGoesOn({ alice, bob, relay })
    await expectGoesOn({ alice: carol, bob, relay }, group)
  })

  test.for(['message', 'commit', 'welcome', 'direct', 'leave'] as const)(
    '[CORE-22.1] a %s that is none is refused or read as what it is',
    async (kind, { world }) => {
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

  test.for([0, 1, Number.MAX_SAFE_INTEGER])(
    '[CORE-14.11] a message of the time %i is shown once and holds nothing up',
    async (ts, { world }) => {
      const pair = await talkingPair(world)
      const { alice, bob, relay } = pair
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts })))
      for (const text of ['first', 'second', 'third']) await alice.say(bob, text)
      await bob.hears('third')
      await expectGoesOn(pair)
      for (const text of ['first', 'second', 'third']) expect(bob.texts(alice)).toContain(text)
    },
  )

  test('[CORE-14.11] a cursor from far ahead does not hide what comes later', async ({ world }) => {
    const pair = await talkingPair(world)
    const { alice, bob, relay } = pair
    relay.changeEntries(entries =>
      entries.filter(isMessage).map(entry => ({ ...entry, cursor: Number.MAX_SAFE_INTEGER })),
    )
    await alice.say(bob, 'far ahead')
    await bob.hears('far ahead')
    relay.repent()
    bob.wire.drop()
    await expectGoesOn(pair)
  })
})
