// The processes of an echo: people, relay, gateway, and the operator's bot.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { BOT } from '../bare/frame.ts'
import type { BotSettings } from '../processes/bot.ts'
import { Child } from '../processes/child.ts'
import type { GatewaySettings, GatewayState } from '../processes/gateway.ts'
import type { PersonSettings, PersonState } from '../processes/person.ts'
import type { Usage } from '../processes/question.ts'
import type { RelaySettings } from '../processes/relay.ts'

export type Ring = {
  api: BotSettings
  relay: Child
  /** The relay of the people, if it is not the gateway's. */
  peoplesRelay?: Child
  gateway: Child
  bot: Child
  people: Child<PersonState>[]
  /** Restarts the gateway on its data. */
  startGateway(port: number): Promise<Child>
}

const TOKEN = 'bench-token'

type People = {
  people: number
  told?: NonNullable<PersonSettings['told']>
  /** The folder of the built app, served by the relay. */
  app?: string
  /** The address of a PostgreSQL that is shared by a relay for the gateway and one for the people. */
  database?: string
  /** The folder of the processes, for example of another checkout. */
  processes?: URL
}

const ownProcesses = new URL('../processes/', import.meta.url)

export async function startRing(
  directory: string,
  { people: count, app, database, processes = ownProcesses, ...told }: People,
): Promise<Ring> {
  const startRelay = (name: string) =>
    Child.start<{ url: string }>(new URL('relay.ts', processes), {
      directory: join(directory, name),
      ...(app !== undefined && { app }),
      ...(database !== undefined && { database }),
    } satisfies RelaySettings)
  const relay = await startRelay('relay')
  const peoplesRelay = database === undefined ? undefined : await startRelay('peoples-relay')
  const relayUrl = relay.state.url
  const startGateway = (port: number) =>
    Child.start<GatewayState>(new URL('gateway.ts', processes), {
      directory: join(directory, 'gateway'),
      relayUrl,
      port,
      token: TOKEN,
    } satisfies GatewaySettings)
  const gateway = await startGateway(0)
  await gateway.ask('online')
  const invite = await gateway.ask<string>('invite')
  const api = { url: gateway.state.url, token: TOKEN }
  const bot = await startBot(api)
  const people: Ring['people'] = []
  for (let at = 0; at < count; at++) {
    const own = { directory: join(directory, `person-${at}`), relayUrl: (peoplesRelay ?? relay).state.url }
    const settings: PersonSettings = { ...own, invite, ...told }
    people.push(await Child.start(new URL('person.ts', processes), settings))
  }
  return { api, relay, ...(peoplesRelay && { peoplesRelay }), gateway, bot, people, startGateway }
}

/** The same hops without keys and records. With a directory, each hop syncs a file before it continues. */
export async function startBareRing(
  directory: string | undefined,
  { people: count }: Pick<People, 'people'>,
): Promise<Ring> {
  const ledgerOf = (name: string) => (directory === undefined ? {} : { ledger: join(directory, name) })
  if (directory !== undefined) mkdirSync(directory)
  const relay = await Child.start<{ port: number }>(new URL('../bare/relay.ts', import.meta.url), ledgerOf('relay'))
  const at = (name: string) => ({ port: relay.state.port, name, ...ledgerOf(name) })
  const startGateway = (httpPort: number) =>
    Child.start<GatewayState>(new URL('../bare/gateway.ts', import.meta.url), { ...at(BOT), httpPort })
  const gateway = await startGateway(0)
  const api = { url: gateway.state.url, token: TOKEN }
  const bot = await startBot(api)
  const names = Array.from({ length: count }, (_, number) => `person-${number}`)
  const people = await Promise.all(
    names.map(name => Child.start<PersonState>(new URL('../bare/person.ts', import.meta.url), at(name))),
  )
  return { api, relay, gateway, bot, people, startGateway }
}

const startBot = (api: BotSettings): Promise<Child> => Child.start(new URL('../processes/bot.ts', import.meta.url), api)

export async function stopRing({ relay, peoplesRelay, gateway, bot, people }: Ring): Promise<void> {
  await bot.stop()
  await Promise.all(people.map(person => person.stop()))
  await gateway.stop()
  await relay.stop()
  await peoplesRelay?.stop()
}

export type RingUsage = { relay: Usage; gateway: Usage; bot: Usage; peopleCpuMs: number }

export async function usageOf({ relay, gateway, bot, people }: Ring): Promise<RingUsage> {
  const each = await Promise.all(people.map(person => person.usage()))
  return {
    relay: await relay.usage(),
    gateway: await gateway.usage(),
    bot: await bot.usage(),
    peopleCpuMs: each.reduce((total, { cpuMs }) => total + cpuMs, 0),
  }
}
