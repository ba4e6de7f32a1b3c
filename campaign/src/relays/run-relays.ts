// A campaign against relays that share a database: traffic, faults by the schedule, then calm, and then all mailboxes
// are compared with the book.
import { setTimeout as pause } from 'node:timers/promises'
import { SeededRandom } from '@postern/testkit'
import type { Finding } from '../chaos/check/finding.ts'
import type { Report } from '../chaos/report.ts'
import { checkRelays } from './check/check-relays.ts'
import type { Deed } from './check/deed.ts'
import { befallRelays } from './faults/befall.ts'
import { drawFaults, isBesideOthers, nameOfFault } from './faults/schedule.ts'
import { endRelaysWorld, idsOf, type RelaysWorld, startRelaysWorld } from './relays-world.ts'
import { inTurns, untilDone } from './traffic/in-turns.ts'
import { relayTraffic } from './traffic/pace.ts'
import { readWholeMailbox } from './traffic/read-mailbox.ts'
import { planRooms, type Room, type WorldSize, worldSizes } from './traffic/rooms.ts'
import { RelayTalk } from './traffic/talk.ts'

export type RelaysOptions = {
  kills: number
  seed: number
  folder: string
  say: (line: string) => void
  size: WorldSize
  /** Names of faults; all when there are none. */
  only?: readonly string[]
  /** Before the other faults the database runs a tenth of the time, for so long. */
  slowMs?: number
  /** Ends the faults early. Everything is compared all the same. */
  isEnough?: () => boolean
  /** Modules that the relays load first. */
  imports?: readonly string[]
  /** After a fault, and at the end. */
  backWithinMs?: number
  settleWithinMs?: number
}

/** The minimum of accepted messages between two faults. */
const FLOW = 30

export async function runRelays(options: RelaysOptions): Promise<Report> {
  const { seed, folder, size, imports = [], backWithinMs = relayTraffic.backWithinMs } = options
  const findings: Finding[] = []
  const faults = new Map<string, number>()
  const report = (finding: Finding) => void findings.push(finding)
  const random = new SeededRandom(seed + 1)
  const world = await startRelaysWorld({ folder, random, size, imports, backWithinMs, report })
  const { senders, uploads } = world
  try {
    const hopping = Promise.all(senders.map(sender => sender.run()))
    const everybody = idsOf(world.people)
    const active = idsOf(senders)
    const rooms = planRooms(worldSizes[size].rooms, { active, idle: everybody.slice(active.length) })
    const talk = new RelayTalk({ hoppers: senders, rooms, everybody, uploads }, new SeededRandom(seed + 2))
    await talk.open()
    const talking = talk.run()
    talking.catch(() => undefined)
    await runFaults(options, { world, talk, count: what => void faults.set(what, (faults.get(what) ?? 0) + 1) })
    talk.stop()
    const evidence = await settleInTime(world, { talking, options })
    if (evidence) await hopping
    if (evidence) findings.push(...checkRelays({ ...evidence, deeds: talk.deeds, creators: creatorsOf(rooms) }))
    const logins = world.crowd.everybody.reduce((sum, hopper) => sum + hopper.logins, 0)
    const acknowledged = acknowledgedOf(talk.deeds).set('login at the next relay', logins).set('blob', uploads.count)
    return { findings, faults, acknowledged, refusals: refusalsOf(talk.deeds) }
  } finally {
    for (const hopper of world.crowd.everybody) hopper.end()
    await endRelaysWorld(world, folder)
  }
}

type Running = { world: RelaysWorld; talk: RelayTalk; count: (what: string) => void }

async function runFaults(
  { seed, say, isEnough = () => false, ...wanted }: RelaysOptions,
  { world, talk, count }: Running,
): Promise<void> {
  const long: Promise<void>[] = []
  for (const { afterMs, fault } of drawFaults(new SeededRandom(seed), { ...wanted, relays: world.relays.length })) {
    if (isEnough()) break
    await talk.flows(FLOW)
    await pause(afterMs)
    talk.race()
    say(JSON.stringify(fault))
    const over = befallRelays(fault, world).then(isDone => void (isDone && count(nameOfFault(fault))))
    if (isBesideOthers(fault)) long.push(over)
    else await over
  }
  await Promise.all(long)
}

type Settling = { talking: Promise<void>; options: RelaysOptions }

/** Undefined when not everybody came to rest in time. */
async function settleInTime(world: RelaysWorld, { talking, options }: Settling) {
  let reached = 'no relay is up'
  const reach = (step: string) => {
    reached = step
    options.say(step)
  }
  const late = pause(options.settleWithinMs ?? relayTraffic.settleWithinMs, undefined, { ref: false })
  const evidence = await Promise.race([settle(world, { talking, reach }), late])
  if (!evidence) world.report({ wrong: 'unsettled', deed: 'process', what: `in time only this: ${reached}` })
  return evidence
}

async function settle(
  world: RelaysWorld,
  { talking, reach }: { talking: Promise<void>; reach: (step: string) => void },
) {
  const { relays, people, crowd, uploads, report } = world
  for (const relay of relays) await relay.listening()
  reach('all relays are up')
  await talking
  reach('everything is answered')
  for (const account of await crowd.arrive())
    report({ wrong: 'unsettled', deed: 'login', what: `${account} is not in again at the end` })
  reach('everybody is in')
  await crowd.hearAll()
  reach('everybody has heard all of it')
  for (const hopper of crowd.everybody) hopper.end()
  const urls = relays.map(({ process }) => process.url)
  const mailboxes = await inTurns(people, (person, at) =>
    untilDone(() => readWholeMailbox(urls[at % urls.length] as string, person)),
  )
  reach('all mailboxes are read')
  for (const finding of await uploads.check(urls)) report(finding)
  return { mailboxes, heard: new Map(crowd.everybody.map(({ id, heard }) => [id, heard])) }
}

const creatorsOf = (rooms: readonly Room[]) => new Map(rooms.map(({ group, founder }) => [group, founder]))

function acknowledgedOf(deeds: readonly Deed[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { label, told } of deeds)
    if (told.some(({ kind }) => kind === 'accepted')) counts.set(label, (counts.get(label) ?? 0) + 1)
  return counts
}

function refusalsOf(deeds: readonly Deed[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { label, told } of deeds)
    for (const each of told) {
      if (each.kind !== 'absent') continue
      const sentence = `${label}: ${each.why.replace(/\d+/, '…')}`
      counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
    }
  return counts
}
