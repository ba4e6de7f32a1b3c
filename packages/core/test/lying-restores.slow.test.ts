// A relay that claims restores that never were, of itself and of its client, and one that shows two histories.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ChatId, clientLimits } from '@postern/protocol'
import type { CallAnswer } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'

const SECOND_MS = 1000
const MINUTES = 5
/** How often a person says the same in a chat that heals. */
const TRIES_MAX = 12
const SOON = { timeout: WITHIN.timeoutMs, interval: 20 }

type Session = CallAnswer<'authenticate'>
/** `count`: of the claims so far. */
type Claim = { what: string; claim: (session: Session, count: number) => Session }

const another = (count: number): Uint8Array => new Uint8Array(16).fill(count % 256)

const claims: readonly Claim[] = [
  { what: 'its own restore', claim: (session, count) => ({ ...session, incarnation: another(count) }) },
  {
    what: "the client's restore, by its place",
    claim: (session, count) => ({ ...session, cursor: session.cursor + 10_000 * count }),
  },
  {
    what: "the client's restore, by its mark",
    claim: (session, count) => ({ ...session, mark: session.mark + 10_000 * count }),
  },
  {
    what: 'both, as far away as it can',
    claim: (session, count) => ({
      ...session,
      incarnation: another(count),
      cursor: Number.MAX_SAFE_INTEGER,
      mark: clientLimits.updatesMarkMax,
    }),
  },
]

const test = base
  .extend('warnings', (): string[] => [])
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))
  .extend('bob', ({ world, clock, warnings }) => {
    const note = (_: object, text: string) => void warnings.push(text)
    return world.person('bob', { clock, log: { debug: () => {}, info: () => {}, warn: note, error: note } })
  })
  /** Time passes in small steps, and only while nobody logs in: a login takes the machine's time. */
  .extend('passing', ({ clock }) => async (people: readonly TestPerson[], isOver: () => boolean): Promise<void> => {
    const look = () => {
      const isLoggingIn = people.some(({ client, wire }) => wire.isConnected && !client.isOnline)
      if (!isLoggingIn && !isOver()) clock.advance(100)
      return isOver()
    }
    await expect.poll(look, { timeout: WITHIN.timeoutMs, interval: 1 }).toBe(true)
  })
  .extend('says', ({ clock }) => async (from: TestPerson, to: TestPerson | ChatId, text: string): Promise<void> => {
    const isSaid = async () => {
      clock.advance(SECOND_MS)
      return await from.say(to, text).then(
        () => 'said',
        (error: unknown) => String(error),
      )
    }
    await expect.poll(isSaid, SOON).toBe('said')
  })

const eventsOf = ({ client }: TestPerson) =>
  client.journal
    .read(0, 1000)
    .map(({ id, json }) => ({ id, event: JSON.parse(json) as { message?: { text?: string } } }))

describe.each(claims)('a relay that claims $what', ({ claim }) => {
  test('[CORE-12.17] at every second login makes nobody lose or repeat anything, and no event id is used twice', async ({
    alice,
    bob,
    passing,
    says,
  }) => {
    const relay = new HostileRelay(bob.wire)
    let logins = 0
    relay.changeAnswer('authenticate', session => (++logins % 2 === 1 ? claim(session, logins) : session))
    const wanted: string[] = []
    for (let round = 0; round < 5; round++) {
      await says(alice, bob, `alice ${round}`)
      await expect.poll(() => bob.texts(alice), SOON).toContain(`alice ${round}`)
      bob.wire.drop()
      await says(alice, bob, `alice to nobody ${round}`)
      await passing([alice, bob], () => bob.client.isOnline && logins > round)
      await says(bob, alice, `bob ${round}`)
      await expect.poll(() => alice.texts(bob), SOON).toContain(`bob ${round}`)
      wanted.push(`alice ${round}`, `alice to nobody ${round}`, `bob ${round}`)
    }
    expect(bob.texts(alice).toSorted()).toEqual(wanted.toSorted())
    expect(alice.texts(bob)).toEqual(bob.texts(alice))
    const events = eventsOf(bob)
    const fromAlice = events
      .flatMap(({ event: { message } }) => message?.text ?? [])
      .filter(text => text.startsWith('alice'))
    expect(fromAlice).toEqual(wanted.filter(text => text.startsWith('alice')))
    expect(bob.client.journal.newest()).toBeLessThan(Number.MAX_SAFE_INTEGER / 2)
  })

  test.for([
    { often: 'every login', every: 1 },
    { often: 'every second login', every: 2 },
  ])(
    '[CORE-12.17] at $often, and then hangs up, is asked more and more seldom',
    async ({ every }, { alice, bob, clock, passing }) => {
      const relay = new HostileRelay(bob.wire)
      let logins = 0
      relay.changeAnswer('authenticate', session => (++logins % every === 0 ? claim(session, logins) : session))
      const endMs = clock.monotonicMs() + MINUTES * 60 * SECOND_MS
      bob.wire.drop()
      await passing([alice, bob], () => {
        if (bob.client.isOnline) bob.wire.drop()
        return clock.monotonicMs() >= endMs
      })
      expect(logins).toBeGreaterThan(1)
      // Without these pauses, it would be asked thousands of times.
      expect(logins).toBeLessThan(MINUTES * 20)
    },
  )
})

const inGroup = test
  .extend('carol', ({ world, clock }) => world.person('carol', { clock }))
  .extend('chat', async ({ alice, bob, carol }) => {
    const chat = await alice.createGroup('three', [bob, carol])
    await alice.say(chat, 'before')
    await Promise.all([bob.hears('before'), carol.hears('before')])
    return chat
  })

describe('[CORE-12.17] a relay that shows two histories and admits neither', () => {
  inGroup.for([
    {
      what: 'messages alone',
      renames: false,
      noticed: 'messages missing: withheld by the relay or given up by the sender',
    },
    { what: 'a change of the group in each', renames: true, noticed: 'relay showed a different history to a member' },
  ])(
    'with $what cannot end the chat, and what it hides is noticed',
    async ({ renames, noticed }, { world, alice, bob, carol, chat, clock, passing, says, warnings }) => {
      const people = [alice, bob, carol]
      const directory = join(world.directory, 'relay')
      const keep = (name: string) => cpSync(directory, join(world.directory, name), { recursive: true })
      /** The relay continues from one of its pasts, under its old identity. */
      const show = async (name: string, to: readonly TestPerson[]) => {
        await world.stopRelay()
        rmSync(directory, { recursive: true })
        cpSync(join(world.directory, name), directory, { recursive: true })
        for (const { wire } of people) wire.cut()
        for (const { wire } of to) wire.mend()
        await world.startRelay()
        await passing(to, () => to.every(({ client }) => client.isOnline))
      }
      await world.stopRelay()
      keep('common')
      await world.startRelay()
      await show('common', [alice, carol])
      if (renames) await alice.client.chats.renameGroup(chat, 'named by alice', WITHIN)
      await alice.say(chat, 'to carol alone')
      await carol.hears('to carol alone')
      await show('common', [bob])
      const { store } = bob.client['core']
      if (renames) await store.write(database => database.run('UPDATE mls_group SET needs_update = 1'))
      await bob.say(chat, 'to nobody yet')
      await world.stopRelay()
      keep('of bob')
      await world.startRelay()
      await show('of bob', people)
      for (const speaker of people) {
        const others = people.filter(person => person !== speaker)
        let count = 0
        const isHeard = () =>
          others.every(one => one.texts(chat).some(text => text.startsWith(`${speaker.name} again`)))
        // A chat that heals refuses a message, or loses and reports it.
        while (!isHeard() && count < TRIES_MAX) {
          await says(speaker, chat, `${speaker.name} again ${++count}`)
          const triedMs = clock.monotonicMs()
          await passing(people, () => isHeard() || clock.monotonicMs() - triedMs > 20 * SECOND_MS)
        }
        expect([speaker.name, isHeard()]).toEqual([speaker.name, true])
      }
      for (const person of people) {
        const texts = person.texts(chat)
        expect(texts).toEqual([...new Set(texts)])
      }
      // Nobody loses a message that the relay has acknowledged.
      for (const person of [alice, carol]) expect(person.texts(chat)).toContain('to carol alone')
      expect(bob.texts(chat)).toContain('to nobody yet')
      expect(warnings).toContain(noticed)
    },
  )
})
