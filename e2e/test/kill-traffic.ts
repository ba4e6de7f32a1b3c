// People who talk in all their chats while parts are killed, and the wait until all of it has arrived.
import { setTimeout as pause } from 'node:timers/promises'
import type { PersonProcess } from '@postern/testkit/processes'
import type { SeededRandom } from '@postern/testkit/random'
import { botOf, expectAlive, type Talking } from './killable-parts.ts'
import type { EchoOperator } from './operator.ts'
import { Tally } from './tally.ts'

const IN_FLIGHT_MAX = 4
const BURST = 3
const SETTLE_WITHIN_MS = 180_000

type Sent = { text: string; acknowledged: string | undefined }
export type Chats = { group: string; of: Map<PersonProcess, string[]> }

/** Everybody has a chat with the bot, alice one with bob, and all of them are in a group. */
export async function openChats({ gateway, people }: Talking): Promise<Chats> {
  const bot = await botOf(gateway)
  const ids = await Promise.all(people.map(person => person.ready()))
  const [alice, bob, carol] = people as [PersonProcess, PersonProcess, PersonProcess]
  for (const person of people) await person.do('open', { invite: bot.invite_url })
  await alice.do('open', { account: ids[1] })
  const { id: group } = await alice.do<{ id: string }>('group', { name: 'all', members: [ids[1], ids[2], bot.id] })
  for (const person of [bob, carol]) await chatShown(person, group)
  await chatShown(bob, ids[0] as string)
  return {
    group,
    of: new Map([
      [alice, [bot.id, ids[1] as string, group]],
      [bob, [bot.id, ids[0] as string, group]],
      [carol, [bot.id, group]],
    ]),
  }
}

async function chatShown(person: PersonProcess, chat: string): Promise<void> {
  while (!(await person.do<{ id: string }[]>('chats')).some(({ id }) => id === chat)) await pause(20)
}

/** People who talk in all their chats, a few messages at a time; alice also renames the group, so that epochs change. */
export class Traffic {
  readonly #random: SeededRandom
  readonly #chats: Chats
  readonly sent: Sent[] = []
  readonly #acknowledging = new Tally()
  #stopped = false

  constructor(random: SeededRandom, chats: Chats) {
    this.#random = random
    this.#chats = chats
  }

  stop(): void {
    this.#stopped = true
  }

  /** Until this many more messages are acknowledged, however slow the machine is. */
  async goesOn(count: number): Promise<void> {
    await this.#acknowledging.more(count)
  }

  burst(people: PersonProcess[]): void {
    for (const person of people) for (let count = 0; count < BURST; count++) void this.#say(person)
  }

  async run(person: PersonProcess): Promise<void> {
    const inFlight = new Set<Promise<void>>()
    for (let count = 1; !this.#stopped; count++) {
      await person.ready()
      const work = (
        person.name === 'alice' && count % 25 === 0 ? this.#rename(person, count) : this.#say(person)
      ).finally(() => inFlight.delete(work))
      inFlight.add(work)
      if (inFlight.size >= IN_FLIGHT_MAX) await Promise.race(inFlight)
      await pause(this.#random.below(120))
    }
    await Promise.all(inFlight)
  }

  async #say(person: PersonProcess): Promise<void> {
    const sent: Sent = { text: `${person.name} ${this.sent.length}`, acknowledged: undefined }
    this.sent.push(sent)
    const answer = await person.ask('send', {
      chat: this.#random.of(this.#chats.of.get(person) ?? []),
      text: sent.text,
    })
    if (answer.kind !== 'ok') return
    sent.acknowledged = (answer.ok as { id: string }).id
    this.#acknowledging.add()
  }

  async #rename(person: PersonProcess, count: number): Promise<void> {
    await person.ask('rename', { chat: this.#chats.group, name: `name ${count}` })
  }
}

/** Every part is up; waits until everybody shows the same of the group, twice in a row, and the bot has nothing to do. */
export async function settled(parts: Talking, operator: EchoOperator, group: string): Promise<void> {
  const { people } = parts
  const endMs = Date.now() + SETTLE_WITHIN_MS
  for (let same = 0; same < 2 && Date.now() < endMs; ) {
    await Promise.all(people.map(person => person.ready()))
    const views = await Promise.all(people.map(person => person.ask('messages', { chat: group, limit: 100 })))
    const ids = views.map(view => (view.kind === 'ok' ? (view.ok as { id: string }[]) : []).map(({ id }) => id).join())
    expectAlive(parts)
    same = new Set(ids).size === 1 && operator.isIdle ? same + 1 : 0
    await pause(200)
  }
}
