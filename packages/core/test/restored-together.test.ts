// The relay and all clients but one restored together: that one knows more than the others, and its group chat
// continues.
import { cpSync, rmSync } from 'node:fs'
import type { Notice } from '@postern/bot-api/events'
import type { ChatId } from '@postern/protocol'
import { type ManualClock, type TestPerson, WITHIN, Wire, type World } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import type { JournalEvent } from '../src/journal/journal.ts'
import { groupOf } from './hostile/modified-client.ts'

const SECOND_MS = 1000
const STEP_MS = 250
/** Far below the ten minutes after which a lost member asks others. */
const HEALED_WITHIN_MS = 60 * SECOND_MS

const backupOf = (person: TestPerson) => `${person.directory}.backup`

class Together {
  readonly #world: World
  readonly #clock: ManualClock
  readonly #people = new Map<string, TestPerson>()
  #count = 0
  chat = '' as ChatId

  constructor(world: World, clock: ManualClock) {
    this.#world = world
    this.#clock = clock
  }

  get all(): TestPerson[] {
    return [...this.#people.values()]
  }

  person(name: string): TestPerson {
    const person = this.#people.get(name)
    if (!person) throw new TypeError(name)
    return person
  }

  /** Alice is the only admin. Everyone, and the relay, is backed up once all are there. */
  async begin(...others: string[]): Promise<void> {
    for (const name of ['alice', ...others]) await this.#open(name)
    const members = others.map(name => this.person(name).id)
    this.chat = (await this.person('alice').client.chats.createGroup({ name: 'team', members }, WITHIN)).id
    await this.person('alice').say(this.chat, 'before')
    for (const name of others) await this.person(name).hears('before')
    for (const person of this.all) await this.#world.close(person)
    for (const person of this.all) cpSync(person.directory, backupOf(person), { recursive: true })
    await this.#world.backUpRelay()
    for (const name of ['alice', ...others]) await this.#open(name)
  }

  /** The relay, and these clients. */
  async restore(...names: string[]): Promise<void> {
    for (const name of names) await this.#world.close(this.person(name))
    await this.#world.restoreRelay()
    for (const name of names) await this.#reopen(name)
    await this.#untilOnline()
  }

  /** These clients, and not the relay. */
  async restoreClients(...names: string[]): Promise<void> {
    for (const name of names) await this.#world.close(this.person(name))
    for (const name of names) {
      const wire = new Wire()
      const isOpen = () => this.person(name).wire === wire
      // A client that learns that it alone was restored comes back after a pause.
      await Promise.all([this.#reopen(name, wire), this.#passUntil(isOpen, wire)])
    }
    await this.#untilOnline()
  }

  async #untilOnline(): Promise<void> {
    await this.#passUntil(() => this.all.every(({ client }) => client.isOnline))
  }

  async #reopen(name: string, wire = new Wire()): Promise<void> {
    const { directory } = this.person(name)
    rmSync(directory, { recursive: true })
    cpSync(`${directory}.backup`, directory, { recursive: true })
    await this.#open(name, wire)
  }

  /** They are offline while this time passes. */
  async passWithout(names: readonly string[], ms: number): Promise<void> {
    for (const name of names) this.person(name).wire.cut()
    const endMs = this.#clock.nowMs() + ms
    await this.#passUntil(() => this.#clock.nowMs() >= endMs)
    for (const name of names) this.person(name).wire.mend()
  }

  /** By alice. */
  async remove(name: string): Promise<void> {
    const { client } = this.person('alice')
    await client.chats.removeMembers(this.chat, [this.person(name).id], WITHIN)
    await this.person('alice').say(this.chat, `without ${name}`)
    await this.#passUntil(() => this.person(name).client.chats.get(this.chat).state === 'left')
  }

  /** By this person; all others have followed. */
  async rename(by: string): Promise<void> {
    const name = `by ${by}`
    await this.person(by).client.chats.renameGroup(this.chat, name, WITHIN)
    await this.#passUntil(() => this.all.every(({ client }) => client.chats.get(this.chat).name === name))
  }

  notices(name: string): Notice[] {
    return this.person(name)
      .client.journal.read(0, 1000)
      .map(({ json }) => JSON.parse(json) as JournalEvent)
      .flatMap(event => (event.type === 'notice' && event.chat_id === this.chat ? [event.notice] : []))
  }

  async isHeard(name: string): Promise<void> {
    await this.#isHeardBy(name, this.all)
  }

  /** Each of these people receives the messages of the others. */
  async areHeard(...names: string[]): Promise<void> {
    for (const name of names)
      await this.#isHeardBy(
        name,
        names.map(one => this.person(one)),
      )
  }

  /** Sends texts until all of them have shown one: messages sent while the chat heals are refused, or lost. */
  async #isHeardBy(name: string, people: readonly TestPerson[]): Promise<void> {
    const others = people.filter(person => person.name !== name)
    const said: string[] = []
    await this.#passUntil(async () => {
      const text = `${name} ${++this.#count}`
      await this.person(name)
        .say(this.chat, text)
        .then(
          () => said.push(text),
          () => undefined,
        )
      return said.some(one => others.every(person => person.texts(this.chat).includes(one)))
    })
  }

  async #open(name: string, wire = new Wire()): Promise<void> {
    this.#people.set(name, await this.#world.person(name, { clock: this.#clock, wire }))
  }

  /** A login takes the machine's time: a clock that moves meanwhile would end it. */
  async #passUntil(isTrue: () => boolean | Promise<boolean>, opening?: Wire): Promise<void> {
    const isMet = async () => {
      const isLoggingIn =
        opening?.isConnected || this.all.some(({ client, wire }) => wire.isConnected && !client.isOnline)
      if (!isLoggingIn) this.#clock.advance(STEP_MS)
      return await isTrue()
    }
    await expect.poll(isMet, { timeout: WITHIN.timeoutMs, interval: 50 }).toBe(true)
  }
}

const test = base.extend('together', ({ world, clock }) => new Together(world, clock))

test('[CORE-12.21] a member that has seen later epochs than the restored relay and the restored others is heard again', async ({
  together,
  clock,
}) => {
  await together.begin('bob', 'carol')
  for (let at = 0; at < 6; at++)
    await together.person('bob').client.chats.renameGroup(together.chat, `name ${at}`, WITHIN)
  await together.restore('alice', 'carol')
  const beginMs = clock.nowMs()
  for (const name of ['alice', 'bob', 'carol']) await together.isHeard(name)
  expect(clock.nowMs() - beginMs).toBeLessThan(HEALED_WITHIN_MS)
  for (const person of together.all)
    expect(person.client.chats.get(together.chat)).toMatchObject({ name: 'name 5', state: 'active' })
})

test('[CORE-12.21] a member whose group none of the restored parts knows is heard again', async ({
  together,
  clock,
}) => {
  await together.begin('bob', 'carol')
  await together.person('alice').client.chats.renameGroup(together.chat, 'renamed', WITHIN)
  await together.restore()
  for (const name of ['alice', 'bob', 'carol']) await together.isHeard(name)
  await together.restore('alice', 'carol')
  const beginMs = clock.nowMs()
  for (const name of ['alice', 'bob', 'carol']) await together.isHeard(name)
  expect(clock.nowMs() - beginMs).toBeLessThan(HEALED_WITHIN_MS)
  for (const person of together.all)
    expect(person.client.chats.get(together.chat)).toMatchObject({ name: 'renamed', state: 'active' })
})

test('[CORE-12.22] a member that only listens learns that it missed something, and hears the others again', async ({
  together,
}) => {
  await together.begin('bob', 'carol')
  const bob = together.person('bob')
  for (let at = 0; at < 6; at++) await bob.client.chats.renameGroup(together.chat, `name ${at}`, WITHIN)
  await together.restore('alice', 'carol')
  await together.isHeard('alice')
  await bob.next('notice', ({ notice }) => notice.code === 'undecryptable')
  await together.isHeard('carol')
})

test('[CORE-12.24] where the relay was restored, too, the others are notified that the removed person is back', async ({
  together,
}) => {
  await together.begin('bob', 'carol')
  await together.remove('carol')
  await together.person('bob').hears('without carol')
  await together.restore('alice')
  await together.areHeard('alice', 'bob')
  const joined = (name: string) =>
    together.notices(name).flatMap(notice => (notice.code === 'joined' ? notice.members.map(({ id }) => id) : []))
  const isTold = together.notices('alice').some(({ code }) => code === 'refused' || code === 'forked')
  expect(isTold).toBe(true)
  expect(joined('bob')).toEqual([together.person('carol').id])
})

test('[CORE-14.28] members that were all restored from before their own commits do not wait for each other', async ({
  together,
  clock,
}) => {
  await together.begin('bob', 'carol')
  for (const name of ['alice', 'bob', 'carol']) await together.rename(name)
  await together.restoreClients('alice', 'bob', 'carol')
  const beginMs = clock.nowMs()
  for (const name of ['alice', 'bob', 'carol']) await together.isHeard(name)
  expect(clock.nowMs() - beginMs).toBeLessThan(HEALED_WITHIN_MS)
})

test('[CORE-14.28] a restored member waits for members that have been added again since they asked', async ({
  together,
}) => {
  await together.begin('bob', 'carol')
  for (const name of ['alice', 'bob', 'carol']) await together.rename(name)
  for (const name of ['bob', 'carol']) {
    await together.restoreClients(name)
    await together.isHeard(name)
  }
  const groupOfChat = () => groupOf(together.person('alice'), together.chat)
  const group = groupOfChat()
  await together.restoreClients('alice')
  await together.passWithout(['bob', 'carol'], 2 * HEALED_WITHIN_MS)
  expect(groupOfChat()).toBe(group)
  await together.isHeard('alice')
  expect(groupOfChat()).toBe(group)
})
