// A campaign against relays that share a database: traffic, faults by the schedule, then calm, and then all mailboxes
// are compared with the book.
import { setTimeout as pause } from 'node:timers/promises'
import { SeededRandom } from '@postern/testkit'
import type { Finding } from '../chaos/check/finding.ts'
import type { Report } from '../chaos/report.ts'
import { checkRelays } from './check/check-relays.ts'
import type { Deed } from './check/deed.ts'
import { befallRelays } from './faults/befall.ts'
import { drawFaults, hitsAll, isPastTimeOuts } from './faults/schedule.ts'
import { endRelaysWorld, idsOf, type RelaysWorld, startRelaysWorld } from './relays-world.ts'
import { inTurns, untilDone } from './traffic/in-turns.ts'
import { relayTraffic } from './traffic/pace.ts'
import { readWholeMailbox } from './traffic/read-mailbox.ts'
import { planRooms, type Room } from './traffic/rooms.ts'
import { RelayTalk } from './traffic/talk.ts'

export type RelaysOptions = { kills: number; seed: number; folder: string; say: (line: string) => void }

const COUNTS = { people: 240, hoppers: 24 }
/** The minimum of accepted messages between two faults. */
const FLOW = 30
const ROOMS = { pairs: 12, twenties: 4, twoHundreds: 2 }

export async function runRelays({ kills, seed, folder, say }: RelaysOptions): Promise<Report> {
  const findings: Finding[] = []
  const onFault = (what: string) => void findings.push({ wrong: 'fault-of-ours', deed: 'process', what })
  const faults = new Map<string, number>()
  const world = await startRelaysWorld({ ...COUNTS, folder, random: new SeededRandom(seed + 1), onFault })
  try {
    const hopping = Promise.all(world.hoppers.map(hopper => hopper.run()))
    const everybody = idsOf(world.people)
    const active = idsOf(world.hoppers)
    const rooms = planRooms(ROOMS, { active, idle: everybody.slice(active.length) })
    const talk = new RelayTalk({ hoppers: world.hoppers, rooms, everybody }, new SeededRandom(seed + 2))
    await talk.open()
    const talking = talk.run()
    talking.catch(() => undefined)
    const count = (what: string) => void faults.set(what, (faults.get(what) ?? 0) + 1)
    await runFaults({ kills, seed, say }, { world, talk, count })
    talk.stop()
    let reached = 'no relay is up'
    const reach = (step: string) => {
      reached = step
      say(step)
    }
    const evidence = await inTime(settle(world, { talking, say: reach }))
    if (evidence) await hopping
    if (!evidence) findings.push({ wrong: 'unsettled', deed: 'process', what: `in time only this: ${reached}` })
    else findings.push(...checkRelays({ ...evidence, deeds: talk.deeds, creators: creatorsOf(rooms) }))
    const logins = world.hoppers.reduce((sum, hopper) => sum + hopper.logins, 0)
    const acknowledged = acknowledgedOf(talk.deeds).set('login at the next relay', logins)
    return { findings, faults, acknowledged, refusals: refusalsOf(talk.deeds) }
  } finally {
    for (const hopper of world.hoppers) hopper.end()
    await endRelaysWorld(world, folder)
  }
}

type Running = { world: RelaysWorld; talk: RelayTalk; count: (what: string) => void }

async function runFaults(
  { kills, seed, say }: Omit<RelaysOptions, 'folder'>,
  { world, talk, count }: Running,
): Promise<void> {
  const long: Promise<void>[] = []
  for (const { afterMs, fault } of drawFaults(new SeededRandom(seed), { kills, relays: world.relays.length })) {
    await talk.flows(FLOW)
    await pause(afterMs)
    talk.race()
    say(JSON.stringify(fault))
    const over = befallRelays(fault, world).then(what => void (what && count(what)))
    // The others continue meanwhile: a part that is stopped past its timeouts wakes to a world that has moved on.
    if (isPastTimeOuts(fault) && !hitsAll(fault)) long.push(over)
    else await over
  }
  await Promise.all(long)
}

type Settling = { talking: Promise<void>; say: (line: string) => void }

async function settle({ relays, people, hoppers }: RelaysWorld, { talking, say }: Settling) {
  for (const relay of relays) await relay.listening()
  say('all relays are up')
  await talking
  say('everything is answered')
  for (const hopper of hoppers) await hopper.hearAll()
  say('everybody who follows has heard all of it')
  for (const hopper of hoppers) hopper.end()
  const urls = relays.map(({ process }) => process.url)
  const mailboxes = await inTurns(people, (person, at) =>
    untilDone(() => readWholeMailbox(urls[at % urls.length] as string, person)),
  )
  say('all mailboxes are read')
  return { mailboxes, heard: new Map(hoppers.map(({ id, heard }) => [id, heard])) }
}

const inTime = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
  Promise.race([work, pause(relayTraffic.settleWithinMs, undefined, { ref: false })])

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
