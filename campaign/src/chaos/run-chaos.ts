// A campaign of faults: traffic of every kind, faults by the schedule, then calm, and then everything is compared with
// the book.
import { setTimeout as pause } from 'node:timers/promises'
import { SeededRandom } from '@postern/testkit'
import { readClient } from '@postern/testkit/client-database'
import { checkAttempts } from './check/check-attempts.ts'
import { checkChanges } from './check/check-changes.ts'
import { checkLists } from './check/check-lists.ts'
import { checkPolls } from './check/check-polls.ts'
import { checkPresses } from './check/check-presses.ts'
import { checkKept } from './check/check-told.ts'
import { checkUpdates } from './check/check-updates.ts'
import type { Finding } from './check/finding.ts'
import { type Befallen, befall } from './faults/befall.ts'
import { type Scheduled, type ScheduleOptions, scheduleOf } from './faults/schedule.ts'
import type { PartName } from './parts/part.ts'
import { clearStage, type Stage, setStage, startCast } from './parts/stage.ts'
import { checkRelayDatabase } from './relay-database.ts'
import type { Report } from './report.ts'
import { botsOf, changesShown, checkFiles, identified, keptOf, listsOf, settle, toldFindings } from './settle.ts'
import { Book } from './traffic/book.ts'
import { closedReports } from './traffic/polls.ts'
import { type Cast, openRooms, type Rooms } from './traffic/rooms.ts'
import { Traffic } from './traffic.ts'

export type ChaosOptions = ScheduleOptions & {
  folder: string
  say: (line: string) => void
  /** Called when the time is over: while it returns false, the traffic continues for up to a minute. */
  isEnough?: () => boolean
  /** How long the parts may take to settle. */
  settleWithinMs?: number
  /** Addresses of modules that a part loads first: with them a test plants a fault in the product. */
  importsOf?: (part: PartName) => readonly string[]
}
const MORE_MS_MAX = 60_000
const LOOK_EVERY_MS = 500
type Scene = { stage: Stage; book: Book; cast: Cast; rooms: Rooms; traffic: Traffic }

export async function runChaos(options: ChaosOptions): Promise<Report> {
  const { seed, folder, say } = options
  const counts = new Map<string, number>()
  const book = new Book()
  const stage = await setStage(folder)
  let isKept = true
  try {
    watchCrashes(stage, book, say)
    for (const part of Object.values(stage.parts)) part.imports = options.importsOf?.(part.name) ?? []
    const cast = await startCast(stage, book)
    const rooms = await openRooms(cast)
    const traffic = new Traffic({ stage, book, cast, rooms, random: new SeededRandom(seed ^ 0x2545f491) })
    await traffic.start()
    const scene = { stage, book, cast, rooms, traffic }
    await runFaults(options, { scene, counts })
    await traffic.stop()
    const findings = await compare(scene, options.settleWithinMs)
    isKept = findings.length > 0
    return { findings, faults: counts, acknowledged: book.acknowledged(), refusals: book.refusals }
  } finally {
    await clearStage(stage, { keep: isKept })
  }
}

function watchCrashes({ parts }: Stage, book: Book, say: (line: string) => void): void {
  for (const part of Object.values(parts))
    part.onCrash = crash => {
      say(crash)
      book.find({ wrong: 'crash', deed: 'process', what: shortly(crash) })
    }
}

/** One line: the part's log has all of it. */
function shortly(crash: string): string {
  const [first = '', ...rest] = crash.split('\n')
  const error = rest.findLast(line => /^\S*Error\b/.test(line)) ?? ''
  return `${first.slice(0, 120)} … ${error}`
}

type Running = { scene: Scene; counts: Map<string, number> }

async function runFaults(options: ChaosOptions, { scene, counts }: Running): Promise<void> {
  const { say } = options
  const { stage, traffic } = scene
  const schedule = scheduleOf(options)
  const endMs = Date.now() + options.ms
  const befallen: Befallen = {
    stage,
    setAway: isAway => traffic.setAway(isAway),
    clockMoves: () => {
      traffic.lifeOfPusher++
      traffic.polls.clockMoves()
    },
    count: what => void counts.set(what, (counts.get(what) ?? 0) + 1),
  }
  const follow = async (list: readonly Scheduled[]) => {
    for (const { afterMs, fault } of list) {
      if (Date.now() > endMs) return
      await pause(afterMs)
      say(JSON.stringify(fault))
      await befall(fault, befallen)
      if (fault.kind !== 'network') traffic.lifeOfPusher++
    }
  }
  await Promise.all([follow(schedule.parts), follow(schedule.network), enoughTraffic(options)])
}

async function enoughTraffic({ ms, isEnough = () => true }: ChaosOptions): Promise<void> {
  await pause(ms)
  const endMs = Date.now() + MORE_MS_MAX
  while (!isEnough() && Date.now() < endMs) await pause(LOOK_EVERY_MS)
}

async function compare(scene: Scene, settleWithinMs?: number): Promise<Finding[]> {
  const { stage, book, cast, traffic, rooms } = scene
  const shown = await settle({ cast, rooms, traffic, book }, settleWithinMs)
  const lists = listsOf(shown)
  const said = book.said.filter(({ kind }) => kind !== 'brief')
  const seen = [
    ...changesShown(book, shown),
    ...(await Promise.all(botsOf(cast).map(bot => traffic.profiles.seen(bot)))).flatMap(one => one ?? []),
    ...((await traffic.members.seen(cast.poller)) ?? []),
  ]
  const kept = checkKept(await keptOf(rooms.brief))
  const files = await checkFiles(traffic.talk.files, { book, folder: stage.files })
  await traffic.end()
  const roomsOf = (party: string) =>
    new Set(
      [...rooms.lasting, rooms.brief, rooms.request]
        .filter(room => room.members.some(({ name }) => name === party))
        .map(({ name }) => name),
    )
  const told = (party: string) => identified(book.said, lists).filter(({ room }) => roomsOf(party).has(room))
  const tellings = [
    { party: cast.poller.name, updates: traffic.operator.updates },
    { party: cast.pusher.name, updates: traffic.receiver.updates },
  ]
  const reports = [
    ...closedReports(cast.poller, traffic.operator.updates),
    ...closedReports(cast.pusher, traffic.receiver.updates),
  ]
  for (const part of Object.values(stage.parts)) await part.kill()
  return [
    ...book.findings,
    ...checkLists(said, lists, book.gone),
    ...tellings.flatMap(telling => checkUpdates(telling, told(telling.party), lists)),
    ...toldFindings({ cast, rooms, traffic, book }, shown),
    ...kept,
    ...checkPolls(traffic.polls.asked, reports),
    ...checkPresses(traffic.presses.all),
    ...checkChanges(seen),
    ...checkAttempts(traffic.receiver.attempts),
    ...files,
    ...checkDatabases(stage),
  ]
}

function checkDatabases({ parts }: Stage): Finding[] {
  return Object.values(parts).flatMap((part): Finding[] => {
    try {
      if (part.name === 'relay') checkRelayDatabase(part.dataDirectory)
      else readClient(part.dataDirectory)
      return []
    } catch (error) {
      return [{ wrong: 'damaged', deed: 'database', what: `${part.name}: ${String(error)}` }]
    }
  })
}
