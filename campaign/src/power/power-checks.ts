// The invariants after any number of power cuts: nothing acknowledged lost or doubled, one order, no key used twice,
// intact databases.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readClient, type StoredClient } from '@postern/testkit/client-database'
import type { PowerTraffic, Told } from './power-traffic.ts'
import { BOT, type PowerWorld } from './power-world.ts'

/** While everything runs: checks that need the running parts. */
export async function askParts({ bot, people }: PowerWorld, traffic: PowerTraffic): Promise<string[]> {
  const faults = [...bot.faults]
  const { about } = await bot.me()
  if (traffic.abouts.length > 0 && about !== traffic.abouts.at(-1))
    faults.push(`the bot describes itself as "${about}", and "${traffic.abouts.at(-1)}" was acknowledged last`)
  const listed = await bot.untilHeard<{ id: string }[]>({ method: 'GET', path: '/v1/hooks' })
  for (const hook of traffic.hooks)
    if (!listed.some(({ id }) => id === hook.id)) faults.push(`the hook ${hook.id} was acknowledged and is gone`)
  for (const told of traffic.told.filter(({ hasFile, id }) => hasFile && id !== undefined))
    faults.push(...(await fileFaults(told, { bot, people })))
  return faults
}

async function fileFaults(told: Told, { bot, people }: Pick<PowerWorld, 'bot' | 'people'>): Promise<string[]> {
  const { chat, id = '', text } = told
  const faults: string[] = []
  const read = await bot.fileOf(chat.of.get(BOT) ?? '', id)
  if (read !== `the file of ${text}`) faults.push(`the file of "${text}" is for the bot: ${read}`)
  for (const { name, process } of people) {
    const own = chat.of.get(name)
    if (own === undefined) continue
    const path = join(process.directory, '..', `fetched-${name}-${id}`)
    const answer = await process.ask('download', { chat: own, message: id, path })
    if (answer.kind !== 'ok') faults.push(`the file of "${text}" is for ${name}: ${JSON.stringify(answer)}`)
  }
  return faults
}

/** After everything was stopped: checks of the databases. */
export function readParts(world: PowerWorld, traffic: PowerTraffic): string[] {
  const { relay, gateway, people, bot } = world
  const clients = new Map([gateway, ...people].map(({ name, process }) => [name, readClient(process.directory)]))
  const faults = [...relayFaults(relay.process.directory), ...bot.faults]
  for (const [name, client] of clients) {
    if (client.outbox > 0) faults.push(`${name} still has ${client.outbox} messages in doubt`)
    faults.push(...doubledTexts(name, client))
  }
  for (const { chat, text, id } of traffic.told)
    for (const name of id === undefined ? [] : chat.of.keys())
      if (!clients.get(name)?.messages.some(message => message.id === id))
        faults.push(`"${text}" was acknowledged and is lost for ${name}`)
  faults.push(...lostPosts(clients, traffic), ...orderFaults(world, clients), ...updateFaults(clients, world))
  return [...new Set(faults)]
}

export function relayFaults(directory: string): string[] {
  const database = new DatabaseSync(join(directory, 'relay.db'))
  try {
    const [row] = database.prepare('PRAGMA integrity_check').all()
    return row?.['integrity_check'] === 'ok' ? [] : [`the relay's database is damaged: ${JSON.stringify(row)}`]
  } finally {
    database.close()
  }
}

function doubledTexts(name: string, { messages }: StoredClient): string[] {
  const texts = messages.filter(({ text }) => text).map(({ chat, text }) => `${chat} "${text}"`)
  return texts.filter((text, at) => texts.indexOf(text) < at).map(text => `${name} has twice: ${text}`)
}

function lostPosts(clients: ReadonlyMap<string, StoredClient>, { posted }: PowerTraffic): string[] {
  return [...clients].flatMap(([name, { messages }]) => {
    const texts = new Set(messages.map(({ text }) => text))
    return posted
      .filter(({ text }) => !texts.has(text))
      .map(({ text }) => `"${text}" was taken by a hook and is lost for ${name}`)
  })
}

/** Every chat is the same for all of its members. */
function orderFaults({ chats }: PowerWorld, clients: ReadonlyMap<string, StoredClient>): string[] {
  return chats.flatMap(({ of }) => {
    const views = [...of].map(([name, chat]) => {
      const messages = clients.get(name)?.messages.filter(message => message.chat === chat) ?? []
      return { name, list: messages.map(({ id, sender, text }) => `${id} ${sender} ${text}`) }
    })
    const [first] = views
    return views.flatMap(({ name, list }) => {
      const at = list.findIndex((line, place) => line !== first?.list[place])
      const isSame = at < 0 && list.length === first?.list.length
      return isSame
        ? []
        : [`${name} and ${first?.name} see a chat of ${[...of.keys()].join(', ')} differently from ${at}`]
    })
  })
}

/**
 * Each message of another is one update; no key was used twice, or receivers would have reported messages that they
 * cannot read.
 */
function updateFaults(clients: ReadonlyMap<string, StoredClient>, { bot }: PowerWorld): string[] {
  const own = clients.get(BOT)
  const received = own?.messages.filter(({ sender }) => sender !== own.account).map(({ id }) => id) ?? []
  const updates = [...bot.updates.values()]
  const reported = updates.flatMap(({ type, message }) => (type === 'message' && message ? [message.id] : []))
  return [
    ...received.filter(id => !reported.includes(id)).map(id => `the message ${id} was never an update`),
    ...reported.filter((id, at) => reported.indexOf(id) < at).map(id => `the message ${id} was two updates`),
    ...updates.flatMap(({ notice }) => (isAlarm(notice?.code) ? [`the bot was told: ${notice?.code}`] : [])),
  ]
}

export const isAlarm = (code: string | undefined): boolean => code === 'undecryptable' || code === 'key_changed'
