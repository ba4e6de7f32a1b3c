// Twenty people in one group: most stay, some are removed and added again by two concurrent admins, and all of them talk.
import { setTimeout as pause } from 'node:timers/promises'
import type { ChatId } from '@postern/protocol'
import { type SeededRandom, type TestPerson, WITHIN, type World } from '@postern/testkit'
import { expect } from 'vitest'
import { RecordedLog } from './recorded-log.ts'
import { Tally } from './tally.ts'
import { troublesOf, type Unsteady } from './unsteady-people.ts'

/** Besides alice and bob, who change the group. */
const STAYING = 10
const GUESTS = 8
const TALK_MS = 4_000
const CHANGE_MS = 900

type Said = { by: TestPerson; text: string; isAcknowledged: boolean }

export class GroupWalk {
  readonly said: Said[] = []
  /** The number of removals and additions. */
  changes = 0
  readonly #happening = new Tally()
  readonly #random: SeededRandom
  readonly #group: ChatId
  readonly #everybody: readonly Unsteady[]
  #isStopped = false

  private constructor(everybody: readonly Unsteady[], { group, random }: { group: ChatId; random: SeededRandom }) {
    this.#everybody = everybody
    this.#group = group
    this.#random = random
  }

  static async gather(
    world: World,
    { relayUrl, random }: { relayUrl: string; random: SeededRandom },
  ): Promise<GroupWalk> {
    const everybody: Unsteady[] = []
    const names = Array.from({ length: STAYING + GUESTS }, (_, at) => `${at < STAYING ? 'member' : 'guest'}-${at}`)
    for (const name of ['alice', 'bob', ...names]) {
      const log = new RecordedLog()
      everybody.push({ person: await world.person(name, { log, relayUrl }), log })
    }
    const [alice, bob, ...others] = everybody.map(({ person }) => person) as [TestPerson, TestPerson, ...TestPerson[]]
    const members = [bob, ...others].map(({ id }) => id)
    const { id: group } = await alice.client.chats.createGroup({ name: 'all', members }, WITHIN)
    await alice.client.chats.setAdmin(group, { account: bob.id, role: 'admin' }, WITHIN)
    await alice.say(group, 'hello')
    for (const person of [bob, ...others]) await person.hears('hello')
    return new GroupWalk(everybody, { group, random })
  }

  get #people(): TestPerson[] {
    return this.#everybody.map(({ person }) => person)
  }

  get #staying(): TestPerson[] {
    return this.#people.slice(0, -GUESTS)
  }

  get #guests(): TestPerson[] {
    return this.#people.slice(-GUESTS)
  }

  async run(): Promise<void> {
    const changing = this.#people.slice(0, 2).map((admin, at) => this.#change(admin, at))
    await Promise.all([...this.#people.map(person => this.#talk(person)), ...changing])
  }

  /** Until this many more texts and changes are acknowledged, however slow the machine is. */
  async goesOn(count: number): Promise<void> {
    await this.#happening.more(count)
  }

  stop(): void {
    this.#isStopped = true
  }

  async #talk(person: TestPerson): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      await pause(this.#random.below(TALK_MS))
      const said = { by: person, text: `${person.name} ${count}`, isAcknowledged: false }
      this.said.push(said)
      // A member that is removed meanwhile gets an error.
      said.isAcknowledged = await person.say(this.#group, said.text).then(
        () => true,
        () => false,
      )
      if (said.isAcknowledged) this.#happening.add()
    }
  }

  /** Each admin has separate guests; both work in the same epochs. */
  async #change(admin: TestPerson, at: number): Promise<void> {
    const own = this.#guests.filter((_, guest) => guest % 2 === at)
    while (!this.#isStopped) {
      await pause(this.#random.below(CHANGE_MS))
      // A change in doubt is settled at the next connection: by then it is visible whether it happened.
      const isDone = await this.#putOutOrLetIn(admin, this.#random.of(own)).then(
        () => true,
        () => false,
      )
      if (!isDone) continue
      this.changes += 1
      this.#happening.add()
    }
  }

  async #putOutOrLetIn(admin: TestPerson, { id }: TestPerson): Promise<void> {
    const { chats } = admin.client
    if (this.#membersSeenBy(admin).includes(id)) await chats.removeMembers(this.#group, [id], WITHIN)
    else await chats.addMembers(this.#group, [id], WITHIN)
  }

  /** All are in it again, and each receives the last message of each: everything in doubt is settled by then. */
  async gatherAgain(): Promise<void> {
    const [alice] = this.#people as [TestPerson]
    const accounts = this.#guests.map(({ id }) => id)
    await alice.client.chats.addMembers(this.#group, accounts, WITHIN)
    await alice.say(this.#group, 'again')
    for (const person of this.#people) await expect.poll(() => this.#textsOf(person)).toContain('again')
    for (const person of this.#people) await person.say(this.#group, `the end, says ${person.name}`)
    for (const person of this.#people)
      for (const other of this.#people)
        await expect.poll(() => this.#textsOf(person)).toContain(`the end, says ${other.name}`)
  }

  check(): void {
    const [alice] = this.#people as [TestPerson]
    const all = this.#textsOf(alice)
    expect(new Set(all).size, 'no text twice').toBe(all.length)
    for (const person of this.#staying) expect(this.#textsOf(person), `${person.name}: one order`).toEqual(all)
    const acknowledged = this.said.filter(({ isAcknowledged }) => isAcknowledged)
    expect(
      acknowledged.filter(({ text }) => !all.includes(text)),
      'acknowledged and lost',
    ).toEqual([])
    for (const person of this.#guests) this.#checkGuest(person, all)
    const members = this.#people.map(person => this.#membersSeenBy(person).toSorted())
    for (const seen of members) expect(seen, 'the same members for everyone').toEqual(members[0])
    expect(this.#everybody.flatMap(troublesOf)).toEqual([])
  }

  /**
   * Everybody has the messages of a guest who was away, in the same order; and the guest's own messages are not
   * missing.
   */
  #checkGuest(guest: TestPerson, all: readonly string[]): void {
    const texts = this.#textsOf(guest)
    const had = new Set(texts)
    expect(texts, `${guest.name}: one order`).toEqual(all.filter(text => had.has(text)))
    const own = this.said.filter(({ by, isAcknowledged }) => by === guest && isAcknowledged)
    expect(
      own.filter(({ text }) => !had.has(text)),
      `${guest.name}: own words`,
    ).toEqual([])
  }

  #membersSeenBy({ client }: TestPerson): string[] {
    return client.chats.get(this.#group).members?.map(({ id }) => id) ?? []
  }

  #textsOf(person: TestPerson): string[] {
    return person.texts(this.#group).filter(text => text !== '')
  }
}
