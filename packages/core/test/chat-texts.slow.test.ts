// The list of chats kept as text, checked after every commit of a random history.
import { type ChatId, CodedError } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { SeededRandom, seedFrom } from '@postern/testkit/random'
import { expect } from 'vitest'
import { coreOf } from './hostile/modified-client.ts'

const DEEDS = 80
const TIMERS_MS = [0, 5_000]

type Others = { bob: TestPerson; carol: TestPerson; mallory: TestPerson; group: ChatId }
type Deeds = Record<string, () => Promise<unknown>>

const decode = (text: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(text)

/** Reports where the kept list differs from a newly built one. */
function watched(person: TestPerson): { faults: string[]; look: () => void } {
  const faults: string[] = []
  const look = () => {
    const [kept, anew] = [decode(person.client.chats.listText()), JSON.stringify(person.client.chats.list())]
    if (kept !== anew) faults.push(`${kept} instead of ${anew}`)
  }
  // It is kept from the second time on.
  look()
  coreOf(person).store.onCommit(look)
  return { faults, look }
}

function deedsOf(alice: TestPerson, { bob, carol, mallory, group }: Others, random: SeededRandom): Deeds {
  const { chats, messages, identity } = alice.client
  const said = () => {
    const last = bob.client.messages.list(alice.chatId, { limit: 50 }).findLast(({ from }) => from.id === bob.id)
    if (!last) throw new CodedError('message-not-found')
    return last.id
  }
  const number = () => random.below(1000)
  return {
    'bob speaks': () => bob.say(alice, `hello ${number()}`),
    'bob speaks to the group': () => bob.say(group, `hello all ${number()}`),
    'alice speaks': () => alice.say(bob, `hello ${number()}`),
    'mallory speaks': () => mallory.say(alice, `let me in ${number()}`),
    'bob edits': () => bob.client.messages.edit(alice.chatId, { message: said(), text: `no, ${number()}` }, WITHIN),
    'bob deletes': () => bob.client.messages.delete(alice.chatId, { message: said(), for: 'all' }, WITHIN),
    'alice reads': () => messages.markRead(random.of([bob.chatId, group])),
    'alice deletes for herself': () => messages.delete(bob.chatId, { message: said(), for: 'me' }, WITHIN),
    'alice lets in': () => chats.accept(mallory.chatId),
    'alice declines': () => chats.decline(mallory.chatId),
    'alice blocks': () => chats.block(random.of([bob, mallory]).id),
    'alice unblocks': () => chats.unblock(random.of([bob, mallory]).id),
    'alice compares keys': () => identity.setVerified(bob.id, random.of(['verified', 'unverified'])),
    'alice is called otherwise': () => identity.setProfile({ name: `alice ${number()}` }),
    'carol is called otherwise': async () => {
      await carol.client.identity.setProfile({ name: `carol "${number()}" 🦊` })
      await carol.say(alice, 'it is me')
    },
    'bob names the group': () => bob.client.chats.renameGroup(group, `the team ${number()}`, WITHIN),
    'alice adds carol': () => chats.addMembers(group, [carol.id], WITHIN),
    'alice removes carol': () => chats.removeMembers(group, [carol.id], WITHIN),
    'carol leaves': () => carol.client.chats.leaveGroup(group, WITHIN),
    'alice makes bob an admin': () =>
      chats.setAdmin(group, { account: bob.id, role: random.of(['admin', 'member']) }, WITHIN),
    'alice sets a timer': () => chats.setTimer(bob.chatId, random.of(TIMERS_MS), WITHIN),
    'a write fails': async () => {
      const failing = coreOf(alice).store.write(database => {
        database.run('UPDATE chat SET unread = 77')
        throw new CodedError('storage-full')
      })
      await expect(failing).rejects.toThrow()
    },
  }
}

const attempt = async (deed: (() => Promise<unknown>) | undefined): Promise<void> => void (await deed?.())

const test = base.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

test('[CORE-23.12] through random deeds the kept list of chats is the one that would be made anew', {
  timeout: 180_000,
}, async ({ clock, world, bob, carol, mallory }) => {
  const seed = seedFrom('POSTERN_CHAT_TEXTS_SEED')
  const random = new SeededRandom(seed)
  const alice = await world.person('alice', { clock, acceptRequests: 'contacts' })
  for (const person of [bob, carol]) await alice.say(person, 'hello')
  const group = await alice.createGroup('team', [bob, carol])
  const { faults, look } = watched(alice)
  const deeds = deedsOf(alice, { bob, carol, mallory, group }, random)
  const done = new Set<string>()
  for (let at = 0; at < DEEDS; at++) {
    const name = random.of(Object.keys(deeds))
    // A deed that is not allowed at this moment must not show either.
    await attempt(deeds[name]).then(
      () => done.add(name),
      (error: unknown) => expect(error, `${name}, seed ${seed}`).toBeInstanceOf(CodedError),
    )
    if (random.below(4) === 0) clock.advance(random.of([50, 6_000]))
    look()
  }
  expect(faults, `seed ${seed}`).toEqual([])
  expect(done.size, `seed ${seed}: ${[...done].join(', ')}`).toBeGreaterThan(8)
})
