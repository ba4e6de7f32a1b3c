// A relay, a gateway and two people that can be restored, with a chat between every two of the clients and one of all.
import { join } from 'node:path'
import { freePort } from '@postern/testkit/free-port'
import { GatewayProcess, PersonProcess, RelayProcess } from '@postern/testkit/processes'
import { Bot } from '../power/bot.ts'
import { BOT, openChats, type TalkChat } from '../power/power-world.ts'
import { RestorablePart } from './restorable-part.ts'

export type RestoresWorld = {
  people: RestorablePart<PersonProcess>[]
  clients: RestorablePart[]
  parts: RestorablePart[]
  bot: Bot
  chats: TalkChat[]
}

export async function startRestoresWorld(home: string, onFault: (what: string) => void): Promise<RestoresWorld> {
  const place = async (name: string) => ({ directory: join(home, name), port: await freePort() })
  const relay = new RestorablePart(new RelayProcess(await place('relay')), { name: 'relay', home })
  relay.start(onFault)
  const { url: relayUrl } = await relay.process.listening()
  const gateway = new RestorablePart(new GatewayProcess(await place(BOT), relayUrl), { name: BOT, home })
  const people = ['alice', 'bob'].map(
    name => new RestorablePart(new PersonProcess(name, { directory: join(home, name), relayUrl }), { name, home }),
  )
  const clients = [gateway, ...people]
  for (const part of clients) part.start(onFault)
  const bot = new Bot(await gateway.process.listening())
  const chats = await openChats(people, bot)
  return { people, clients, parts: [relay, ...clients], bot, chats }
}
