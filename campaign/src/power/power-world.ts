// A relay, a gateway and people whose power can be cut, with a chat between every two of them and one of all.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@postern/testkit/free-port'
import { GatewayProcess, PersonProcess, RelayProcess } from '@postern/testkit/processes'
import { Bot } from './bot.ts'
import { MortalPart } from './mortal-part.ts'

export type PowerWorld = {
  relay: MortalPart<RelayProcess>
  gateway: MortalPart<GatewayProcess>
  people: MortalPart<PersonProcess>[]
  parts: MortalPart[]
  bot: Bot
  chats: TalkChat[]
}
/** The name of the chat for each of its members. */
export type TalkChat = { of: Map<string, string> }

export const BOT = 'gateway'
const PEOPLE = ['alice', 'bob']

export async function startPowerWorld(home: string, library: string): Promise<PowerWorld> {
  mkdirSync(home, { recursive: true })
  const around = (name: string, env: Record<string, string> = {}) => ({ name, home, library, env })
  const place = async (name: string) => ({ directory: join(home, name), port: await freePort() })
  const relay = new MortalPart(new RelayProcess(await place('relay')), around('relay'))
  relay.start()
  const { url: relayUrl } = await relay.process.listening()
  const hooks = { HOOKS_URL: 'http://hooks.example' }
  const gateway = new MortalPart(new GatewayProcess(await place(BOT), relayUrl), around(BOT, hooks))
  const people = PEOPLE.map(
    name => new MortalPart(new PersonProcess(name, { directory: join(home, name), relayUrl }), around(name)),
  )
  for (const part of [gateway, ...people]) part.start()
  const bot = new Bot(await gateway.process.listening())
  return { relay, gateway, people, parts: [relay, gateway, ...people], bot, chats: await openChats(people, bot) }
}

/** A person of any campaign. */
type Talker = { name: string; process: PersonProcess }

export async function openChats(people: readonly Talker[], bot: Bot): Promise<TalkChat[]> {
  const me = await bot.me()
  const ids = new Map([[BOT, me.id]])
  for (const { name, process } of people) ids.set(name, await process.ready())
  const [alice, bob] = people as [Talker, Talker]
  for (const { process } of people) await process.do('open', { invite: me.invite_url })
  await alice.process.do('open', { account: ids.get('bob') })
  const members = [ids.get('bob'), me.id]
  const { id: group } = await alice.process.do<{ id: string }>('group', { name: 'all', members })
  for (const chat of [ids.get('alice') ?? '', group]) await shown(bob, chat)
  await bot.shown([ids.get('alice') ?? '', ids.get('bob') ?? '', group])
  const names = [...ids.keys()]
  const between = (one: string, other: string): TalkChat => ({
    of: new Map([one, other].map(name => [name, ids.get(name === one ? other : one) ?? ''])),
  })
  return [
    { of: new Map(names.map(name => [name, group])) },
    between('alice', 'bob'),
    between('alice', BOT),
    between('bob', BOT),
  ]
}

async function shown({ process }: Talker, chat: string): Promise<void> {
  while (!(await process.do<{ id: string }[]>('chats')).some(({ id }) => id === chat)) await pause(20)
}
