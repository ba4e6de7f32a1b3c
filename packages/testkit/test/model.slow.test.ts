// Random histories: several people and a bot do what they like, and everybody sees what a simple model says.
import type { ChatId } from '@postern/protocol'
import { type Person, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Actor, botActor, personActor, type Seen } from './model/actors.ts'
import { SeededRandom } from './seeded-random.ts'

const SEEDS = [1, 2, 3, 4]
const STEPS = 60
const EMOJIS = ['👍', '🔥', '🎉', '']

let world: World

beforeEach(async () => {
  world = await World.start()
})
afterEach(async () => {
  await world.stop()
})

/** What a chat is: a list of messages that their senders change and everybody reacts to. */
class Model {
  readonly messages: Seen[] = []

  ownOf(actor: Actor): Seen[] {
    return this.messages.filter(message => message.from === actor.id)
  }

  react(message: Seen, actor: Actor, emoji: string): void {
    message.reactions = message.reactions.filter(([from]) => from !== actor.id)
    if (emoji !== '') message.reactions.push([actor.id, emoji])
    message.reactions.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  erase(message: Seen): void {
    this.messages.splice(this.messages.indexOf(message), 1)
  }
}

async function openGroup(people: Person[], bot: string): Promise<ChatId> {
  const [alice, ...others] = people
  if (!alice) throw new Error('nobody is there')
  const members = [...others.map(person => person.id), bot as Person['id']]
  const group = await alice.client.createGroup({ name: 'the model', members }, WITHIN)
  for (const person of others) await person.next('chat', event => event.chat_id === group.id)
  return group.id as ChatId
}

test.each(SEEDS)('what everybody sees is what the model says (seed %d)', { timeout: 60_000 }, async seed => {
  const random = new SeededRandom(seed)
  const pick = <T>(list: readonly T[]): T | undefined => (list.length > 0 ? random.of(list) : undefined)
  const gateway = await world.gateway()
  const people = [await world.person('alice'), await world.person('bob')]
  const actors = [...people.map(personActor), botActor(gateway)]
  await gateway.client.whenOnline(WITHIN)
  const chat = await openGroup(people, gateway.client.account)
  await expect.poll(async () => (await gateway.api('GET', `/v1/chats/${chat}`)).status).toBe(200)
  const model = new Model()

  const step = async (at: number): Promise<void> => {
    const actor = pick(actors) as Actor
    const act = random.below(10)
    const target = act < 5 ? undefined : pick(act < 8 ? model.ownOf(actor) : model.messages)
    // Whoever acts on a message must have it already.
    if (target) await expect.poll(async () => (await actor.list(chat)).map(message => message.id)).toContain(target.id)
    if (random.below(8) === 0) actor.disturb()
    if (!target) {
      const text = `${at} 🙂 text`
      model.messages.push({ id: await actor.say(chat, text), from: actor.id, text, reactions: [] })
    } else if (act < 7) {
      target.text = `edited at ${at}`
      await actor.edit(chat, target.id, target.text)
    } else if (act < 8) {
      await actor.erase(chat, target.id)
      model.erase(target)
    } else {
      const emoji = pick(EMOJIS) ?? ''
      await actor.react(chat, target.id, emoji)
      model.react(target, actor, emoji)
    }
  }
  for (let at = 0; at < STEPS; at++) await step(at)
  for (const actor of actors) await expect.poll(() => actor.list(chat), { timeout: 10_000 }).toEqual(model.messages)
})
