// `npm run campaign -- power`: power cuts under traffic. Each part in turn loses its unsynced data, and has to continue
// with the rest.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SeededRandom } from '@postern/testkit'
import { readClient } from '@postern/testkit/client-database'
import type { PersonProcess } from '@postern/testkit/processes'
import { countedOptions } from '../counted-options.ts'
import { makeDiskLog } from './disk-log.ts'
import type { MortalPart } from './mortal-part.ts'
import { askParts, isAlarm, readParts, relayFaults } from './power-checks.ts'
import { PowerTraffic } from './power-traffic.ts'
import { type PowerWorld, startPowerWorld, type TalkChat } from './power-world.ts'

export type PowerPlan = { cuts: number; seed: number }
export type PowerReport = {
  cuts: Record<string, number>
  /** File changes in all lives that a cut has ended. */
  changes: number
  /** Directories after simulated earlier cuts, opened and checked. */
  opened: number
  acknowledged: number
  faults: string[]
}

const UP_WITHIN_MS = 60_000
const SETTLE_WITHIN_MS = 120_000
const OPENED_PER_CUT = 2

export async function run(args: readonly string[]): Promise<number> {
  const asked = countedOptions(args, { cuts: 50 })
  if (typeof asked === 'string') {
    console.error(asked)
    return 2
  }
  const { cuts, seed, isJson } = asked
  console.error(`seed ${seed}`)
  const home = mkdtempSync(join(tmpdir(), 'postern-power-'))
  const library = makeDiskLog(home)
  if (library.kind === 'missing') {
    console.error(`Power cuts cannot be played here: ${library.why}.`)
    rmSync(home, { recursive: true })
    return 2
  }
  const report = await cutAgainAndAgain({ cuts, seed }, { home, library: library.path })
  if (isJson) console.log(JSON.stringify({ seed, ...report }))
  else printReport(report)
  if (report.faults.length === 0) rmSync(home, { recursive: true, force: true })
  else console.error(`kept in ${home}; again with --cuts ${cuts} --seed ${seed}`)
  return report.faults.length === 0 ? 0 : 1
}

function printReport({ cuts, faults, ...counts }: PowerReport): void {
  const cutsOf = Object.fromEntries(Object.entries(cuts).map(([name, count]) => [`cuts of ${name}`, count]))
  console.table({ ...cutsOf, ...counts })
  for (const fault of faults) console.log(`FAULT ${fault}`)
  console.log(faults.length === 0 ? 'Nothing was lost, doubled or damaged.' : `${faults.length} faults`)
}

type Place = { home: string; library: string }

export async function cutAgainAndAgain({ cuts, seed }: PowerPlan, { home, library }: Place): Promise<PowerReport> {
  // Separate from the traffic's: the target, time and kind of each cut follow from the seed alone.
  const random = new SeededRandom(seed)
  const world = await startPowerWorld(home, library)
  const report: PowerReport = { cuts: {}, changes: 0, opened: 0, acknowledged: 0, faults: [] }
  const alarms = watchAlarms(world)
  const traffic = new PowerTraffic(world, new SeededRandom(seed + 1))
  const reading = world.bot.readUpdates()
  const talking = traffic
    .run()
    .catch((error: unknown) => void report.faults.push(`the traffic ended: ${String(error)}`))
  try {
    for (let cut = 0; cut < cuts && report.faults.length === 0; cut++) {
      await pause(200 + random.below(1500))
      await cutOne(random.of(world.parts), { report, random, home })
    }
    traffic.stop()
    await talking
    if (report.faults.length === 0) await settle(world, report)
    if (report.faults.length === 0) report.faults.push(...(await askParts(world, traffic)))
  } finally {
    traffic.stop()
    world.bot.stop()
    await reading
    for (const { process } of world.parts) await process.kill()
  }
  report.acknowledged = traffic.told.filter(({ id }) => id !== undefined).length + traffic.posted.length
  report.faults.push(...alarms, ...readParts(world, traffic))
  return report
}

/** A part that believes after a restart that it was copied has lost state that it had sent to the relay. */
function watchAlarms({ parts, people }: PowerWorld): string[] {
  const alarms: string[] = []
  for (const { name, process } of parts)
    process.onLine = line => {
      if (line.includes('restored from a backup')) alarms.push(`${name} thinks that it was restored from a backup`)
      if (line.includes('"code":"internal"')) alarms.push(`${name} said: ${line}`)
    }
  for (const { name, process } of people)
    process.onEvent = event => {
      const code = (event as { notice?: { code: string } }).notice?.code
      if (isAlarm(code)) alarms.push(`${name} was told: ${code}`)
    }
  return alarms
}

type Around = { report: PowerReport; random: SeededRandom; home: string }

async function cutOne(part: MortalPart, { report, random, home }: Around): Promise<void> {
  const changes = await part.cut(random)
  report.changes += changes
  report.cuts[part.name] = (report.cuts[part.name] ?? 0) + 1
  for (let more = 0; more < OPENED_PER_CUT; more++) {
    const left = join(home, 'elsewhere')
    part.leaveElsewhere(left, { random, changesMax: random.below(changes + 1) })
    report.faults.push(...openFaults(part.name, left))
    report.opened++
  }
  part.start()
  report.faults.push(...(await upFaults(part)))
}

async function upFaults({ name, process }: MortalPart): Promise<string[]> {
  const endMs = Date.now() + UP_WITHIN_MS
  while (!process.isUp && process.crash === undefined && Date.now() < endMs) await pause(20)
  if (process.crash !== undefined) return [`${name} does not start after a cut: ${process.crash}`]
  return process.isUp ? [] : [`${name} was not up ${UP_WITHIN_MS} ms after a cut: ${process.stderr.slice(-2000)}`]
}

/** A directory from a cut at its first start is started again. */
function openFaults(name: string, directory: string): string[] {
  try {
    if (name === 'relay') return relayFaults(directory)
    readClient(directory)
    return []
  } catch (error) {
    return [`what a cut left of ${name} cannot be opened: ${String(error)}`]
  }
}

/** Until every chat is the same for its members, three times in a row, and the bot has read everything. */
async function settle(world: PowerWorld, report: PowerReport): Promise<void> {
  const endMs = Date.now() + SETTLE_WITHIN_MS
  for (let same = 0; same < 3 && Date.now() < endMs; ) {
    const areSame = await Promise.all(world.chats.map(chat => isSameForAll(chat, world)))
    same = areSame.every(Boolean) && world.bot.isIdle ? same + 1 : 0
    await pause(500)
  }
  for (const { name, process } of world.parts)
    if (process.crash !== undefined) report.faults.push(`${name} ended by itself: ${process.crash}`)
}

async function isSameForAll({ of }: TalkChat, { people, bot }: PowerWorld): Promise<boolean> {
  const views = [...of].map(async ([name, chat]) => {
    const person = people.find(part => part.name === name)
    const newest = person ? await newestOf(person, chat) : await bot.newest(chat)
    return newest.map(({ id }) => id).join()
  })
  return new Set(await Promise.all(views)).size === 1
}

async function newestOf({ process }: MortalPart<PersonProcess>, chat: string): Promise<{ id: string }[]> {
  await process.ready()
  const answer = await process.ask('messages', { chat, limit: 100 })
  return answer.kind === 'ok' ? (answer.ok as { id: string }[]) : []
}
