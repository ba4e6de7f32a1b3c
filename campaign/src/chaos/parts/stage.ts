// The whole of a campaign: a relay, two gateways, four people, the program behind each bot, and the wires between them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@postern/testkit/free-port'
import { GatewayProcess, PersonProcess, RelayProcess } from '@postern/testkit/processes'
import type { Book } from '../traffic/book.ts'
import { BotDoer, PersonDoer } from '../traffic/doers.ts'
import type { Cast } from '../traffic/rooms.ts'
import { TcpLink } from '../wire/tcp-link.ts'
import { Part, type PartName } from './part.ts'

const people = ['alice', 'bob', 'carol', 'dave'] as const
const toRelay = ['alice-relay', 'bob-relay', 'carol-relay', 'dave-relay', 'poller-relay', 'pusher-relay'] as const
const toOthers = ['operator-poller', 'operator-pusher', 'senders-poller', 'pusher-receiver'] as const
export type LinkName = (typeof toRelay)[number] | (typeof toOthers)[number]

/** All come from one address, and are new to each other. */
const relayLimits = ['registrationsPerAddressPerHour=1000', 'newPeoplePerDay=1000', 'takesPerTargetPerMinute=1000']

export type Stage = {
  links: Record<LinkName, TcpLink>
  parts: Record<PartName, Part>
  people: Record<(typeof people)[number], PersonProcess>
  gateways: Record<'poller' | 'pusher', GatewayProcess>
  receiverPort: number
  /** The place of the files that people send and fetch: not on a part's disk. */
  files: string
}

export async function setStage(folder: string): Promise<Stage> {
  const ports = {
    relay: await freePort(),
    poller: await freePort(),
    pusher: await freePort(),
    receiver: await freePort(),
  }
  const links = await startLinks(ports)
  const hosts = toRelay.flatMap(name => ['--public-host', `127.0.0.1:${links[name].port}`])
  const limits = relayLimits.flatMap(limit => ['--limit', limit])
  const relay = new Part(
    { folder, name: 'relay' },
    directory => new RelayProcess({ directory, port: ports.relay }, [...hosts, ...limits]),
  )
  const gateway = (name: 'poller' | 'pusher') =>
    new Part(
      { folder, name },
      directory => new GatewayProcess({ directory, port: ports[name] }, links[`${name}-relay`].url),
    )
  const person = (name: (typeof people)[number]) =>
    new Part(
      { folder, name },
      directory => new PersonProcess(name, { directory, relayUrl: links[`${name}-relay`].url }),
    )
  const [poller, pusher, alice, bob, carol, dave] = [gateway('poller'), gateway('pusher'), ...people.map(person)] as [
    Part<GatewayProcess>,
    Part<GatewayProcess>,
    ...Part<PersonProcess>[],
  ] as [
    Part<GatewayProcess>,
    Part<GatewayProcess>,
    Part<PersonProcess>,
    Part<PersonProcess>,
    Part<PersonProcess>,
    Part<PersonProcess>,
  ]
  poller.process.life = { env: { HOOKS_URL: links['senders-poller'].url, LOG_LEVEL: 'debug' } }
  pusher.process.life = {
    env: {
      WEBHOOK_URL: `${links['pusher-receiver'].url}/updates`,
      WEBHOOK_SECRET: 'a secret of the campaign',
      ACCEPT_REQUESTS: 'contacts',
    },
  }
  const files = join(folder, 'files')
  mkdirSync(files)
  return {
    links,
    parts: { relay, poller, pusher, alice, bob, carol, dave },
    people: { alice: alice.process, bob: bob.process, carol: carol.process, dave: dave.process },
    gateways: { poller: poller.process, pusher: pusher.process },
    receiverPort: ports.receiver,
    files,
  }
}

type Ports = { relay: number; poller: number; pusher: number; receiver: number }

async function startLinks(ports: Ports): Promise<Record<LinkName, TcpLink>> {
  const targets: Record<(typeof toOthers)[number], number> = {
    'operator-poller': ports.poller,
    'operator-pusher': ports.pusher,
    'senders-poller': ports.poller,
    'pusher-receiver': ports.receiver,
  }
  const links: Partial<Record<LinkName, TcpLink>> = {}
  for (const name of toRelay) links[name] = await TcpLink.start({ port: await freePort(), targetPort: ports.relay })
  for (const name of toOthers) links[name] = await TcpLink.start({ port: await freePort(), targetPort: targets[name] })
  return links as Record<LinkName, TcpLink>
}

/** Starts and registers everybody, until all ids are known. */
export async function startCast({ parts, people, gateways, links }: Stage, book: Book): Promise<Cast> {
  parts.relay.start()
  await (parts.relay.process as RelayProcess).listening()
  for (const name of ['poller', 'pusher', 'alice', 'bob', 'carol', 'dave'] as const) parts[name].start()
  const [alice, bob, carol, dave] = await Promise.all(
    Object.values(people).map(async process => new PersonDoer({ process, id: await process.ready() }, book)),
  )
  const bot = async (name: 'poller' | 'pusher') => {
    const doer = new BotDoer(name, { url: links[`operator-${name}`].url, token: gateways[name].token }, book)
    for (;;) {
      const { ok } = await doer.call<{ id: string }>({ method: 'GET', path: 'me' })
      if (ok) return Object.assign(doer, { id: ok.id })
      await pause(50)
    }
  }
  const [poller, pusher] = [await bot('poller'), await bot('pusher')]
  // A bot keeps its current name: a configured name would be applied at every start.
  for (const process of Object.values(gateways))
    process.life = { ...process.life, env: { ...process.life.env, BOT_NAME: '' } }
  return { alice, bob, carol, dave, poller, pusher } as Cast
}

/** No process, no wire and no mounted disk is left. */
export async function clearStage({ parts, links }: Stage, { keep }: { keep: boolean }): Promise<void> {
  for (const part of Object.values(parts)) await part.kill()
  for (const link of Object.values(links)) await link.stop()
  for (const part of Object.values(parts)) part.disk.remove({ keep })
}
