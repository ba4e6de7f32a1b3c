// The invariants of a bot and of people after kills: nothing lost, nothing twice, one order.
import { readClient, type StoredClient } from '@postern/testkit/client-database'
import type { PersonProcess } from '@postern/testkit/processes'
import { expect } from 'vitest'
import type { Traffic } from './kill-traffic.ts'
import type { Talking } from './killable-parts.ts'
import type { EchoOperator } from './operator.ts'

export function checkTold({ gateway, people }: Talking, told: { traffic: Traffic; operator: EchoOperator }): void {
  const clients = [gateway, ...people].map(part => readClient(part.directory))
  const [bot] = clients as [StoredClient]
  for (const client of clients) expect(client.outbox, 'nothing is left in doubt').toBe(0)
  expect(new Set(clients.map(client => [...client.titles.values()].join())).size, 'one title for everyone').toBe(1)
  checkOneOrder(clients)
  checkAcknowledged(clients, told)
  const received = bot.messages.filter(message => message.sender !== bot.account).map(message => message.id)
  const reported = [...told.operator.updates.values()].flatMap(update => update.message?.id ?? [])
  expect(reported.toSorted(), 'each message is one update').toEqual(received.toSorted())
  for (const [at, person] of people.entries()) checkEvents(person, clients[at + 1] as StoredClient)
}

/** Every two clients have the same messages of a shared chat, and neither has more. */
function checkOneOrder(clients: StoredClient[]): void {
  for (const one of clients)
    for (const other of clients) {
      if (one === other) continue
      const shared = chatsBetween(one, other)
      for (const { here, there } of shared) expect(listOf(one, here), 'one order').toEqual(listOf(other, there))
    }
  for (const { messages } of clients) {
    const texts = messages.map(({ chat, text }) => `${chat} ${text}`)
    expect(new Set(texts).size, 'no text twice').toBe(texts.length)
  }
}

function chatsBetween(one: StoredClient, other: StoredClient): { here: string; there: string }[] {
  const groups = [...one.titles.keys()].map(group => ({ here: group, there: group }))
  return [...groups, { here: other.account, there: one.account }]
}

const listOf = ({ messages }: StoredClient, chat: string): string[] =>
  messages.filter(message => message.chat === chat).map(({ id, sender, text }) => `${id} ${sender} ${text}`)

function checkAcknowledged(
  clients: StoredClient[],
  { traffic, operator }: { traffic: Traffic; operator: EchoOperator },
): void {
  const known = new Set(clients.flatMap(client => client.messages.map(message => message.id)))
  const acknowledged = [...traffic.sent.flatMap(sent => sent.acknowledged ?? []), ...operator.acknowledged]
  expect(
    acknowledged.filter(id => !known.has(id)),
    'acknowledged and lost',
  ).toEqual([])
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
}

/** A kill repeats the last events at most: without repeats, they are the received messages, in order. */
function checkEvents(person: PersonProcess, client: StoredClient): void {
  const received = client.messages.filter(message => message.sender !== client.account)
  const chatOf = new Map(received.map(message => [message.id, message.chat]))
  const heard = [...new Set(person.heard)]
  for (const chat of new Set(received.map(message => message.chat)))
    expect(heard.filter(id => chatOf.get(id) === chat)).toEqual(received.filter(m => m.chat === chat).map(m => m.id))
  expect(heard.length).toBe(received.length)
}
