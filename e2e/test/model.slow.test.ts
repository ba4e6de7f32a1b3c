// Random histories: several people and a bot act at random, and everybody sees what a simple model predicts.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { SeededRandom } from '@postern/testkit/random'
import { expect } from 'vitest'
import { botActor, personActor } from './model/actors.ts'
import { History } from './model/history.ts'

const SEEDS = [1, 2, 3, 4]
const STEPS = 80

async function openGroup(people: TestPerson[], bot: string): Promise<ChatId> {
  const [alice, ...others] = people
  if (!alice) throw new Error('nobody is there')
  const members = [...others.map(person => person.id), bot as TestPerson['id']]
  const group = await alice.client.chats.createGroup({ name: 'the model', members }, WITHIN)
  for (const person of others) await person.next('chat', event => event.chat_id === group.id)
  return group.id
}

test.for(SEEDS)('[CORE-4.5] what everybody sees is what the model says (seed %d)', async (seed, { world }) => {
  const gateway = await world.gateway()
  const persons = [await world.person('alice'), await world.person('bob')]
  await gateway.client.whenOnline(WITHIN)
  const chat = await openGroup(persons, gateway.client.account)
  await expect.poll(async () => (await gateway.api('GET', `/v1/chats/${chat}`)).status).toBe(200)
  const bot = botActor(gateway)
  const people = persons.map(personActor)
  const history = new History(new SeededRandom(seed), { chat, people, bot })
  for (let number = 0; number < STEPS; number++) await history.step(number)
  for (const actor of [...people, bot]) await expect.poll(() => actor.list(chat)).toEqual(history.messages)
})
