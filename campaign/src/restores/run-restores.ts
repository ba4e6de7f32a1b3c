// Backups and restores of relay, gateway and people under traffic: every chat continues, and no key encrypts twice.
import { setTimeout as pause } from 'node:timers/promises'
import { SeededRandom } from '@postern/testkit'
import { readClient } from '@postern/testkit/client-database'
import type { Finding } from '../chaos/check/finding.ts'
import type { Report } from '../chaos/report.ts'
import type { RestorablePart } from './restorable-part.ts'
import { RestoresTalk } from './restores-talk.ts'
import { type RestoresWorld, startRestoresWorld } from './restores-world.ts'

export type RestoresOptions = { restores: number; seed: number; folder: string; say: (line: string) => void }

const UP_WITHIN_MS = 60_000
const HEALED_WITHIN_MS = 120_000
const SHOWN_WITHIN_MS = 60_000
const BACKUPS_PER_ROUND = 3
/** Restores that follow each other before anybody has received a message. */
const RESTORES_IN_A_ROW = 3

type Running = {
  world: RestoresWorld
  talk: RestoresTalk
  random: SeededRandom
  findings: Finding[]
  /** Also prints it. */
  count: (what: string, detail?: string) => void
  onFault: (what: string) => void
}

export async function runRestores({ restores, seed, folder, say }: RestoresOptions): Promise<Report> {
  const findings: Finding[] = []
  const faults = new Map<string, number>()
  const onFault = (what: string) => void findings.push({ wrong: 'fault-of-ours', deed: 'process', what })
  const count = (what: string, detail = '') => {
    say(`${what} ${detail}`)
    faults.set(what, (faults.get(what) ?? 0) + 1)
  }
  const world = await startRestoresWorld(folder, onFault)
  const talk = new RestoresTalk(world, new SeededRandom(seed + 1))
  const reading = world.bot.readUpdates()
  try {
    for (const part of world.parts) await part.backUp()
    const talking = talk.run()
    const running = { world, talk, random: new SeededRandom(seed), findings, count, onFault }
    for (let done = 0; done < restores && findings.length === 0; )
      done += await playRound(running, { restoresMax: restores - done, say })
    talk.stop()
    await talking
  } finally {
    talk.stop()
    world.bot.stop()
    await reading
    for (const { process } of world.parts) await process.kill()
  }
  for (const what of [...talk.faults, ...world.bot.faults]) onFault(what)
  findings.push(...storedFindings(world, talk))
  const acknowledged = new Map([['text', talk.said.filter(({ isAcknowledged }) => isAcknowledged).length]])
  return { findings, faults, acknowledged }
}

type Round = { restoresMax: number; say: (line: string) => void }

/** Returns how many restores it played. */
async function playRound(running: Running, { restoresMax, say }: Round): Promise<number> {
  const { world, talk, random, findings, count } = running
  const restores = Math.min(1 + random.below(RESTORES_IN_A_ROW), restoresMax)
  for (let backups = random.below(BACKUPS_PER_ROUND + 1); backups > 0; backups--) {
    await pause(random.below(1500))
    const part = random.of(world.parts)
    count(`backup of ${part.name}`)
    await part.backUp()
  }
  for (let at = 0; at < restores; at++) {
    await pause(random.below(2000))
    await restoreSome(running)
  }
  if (findings.length > 0) return restores
  const begunMs = Date.now()
  const from = await continues(running)
  say(`every chat continued after ${Date.now() - begunMs} ms`)
  await pause(random.below(2000))
  const said = talk.said.slice(from).filter(({ isAcknowledged }) => isAcknowledged)
  const missing = findings.length > 0 ? [] : await talk.missing(said, Date.now() + SHOWN_WITHIN_MS)
  for (const what of missing) findings.push({ wrong: 'lost', deed: 'text', what })
  return restores
}

/** Returns the number of texts that were begun until then: every later acknowledged one must arrive. */
async function continues({ talk, findings }: Running): Promise<number> {
  if (!(await talk.goesOn(Date.now() + HEALED_WITHIN_MS)))
    findings.push({ wrong: 'unsettled', deed: 'text', what: `a chat did not continue in ${HEALED_WITHIN_MS} ms` })
  return talk.said.length
}

/** One part, or several together: each from a backup of any age, started in any order. */
async function restoreSome({ world, random, findings, count, onFault }: Running): Promise<void> {
  const one = random.of(world.parts)
  const isAlone = random.below(2) === 0
  const chosen = world.parts.filter(part => part === one || (!isAlone && random.below(2) === 0))
  const plan = chosen.map(part => ({ part, backup: random.of(part.backups), order: random.next() }))
  await Promise.all(chosen.map(({ process }) => process.kill()))
  for (const { part, backup } of plan) {
    count(`restore of ${part.name}`, backup)
    await part.restore(backup)
  }
  for (const { part } of plan.toSorted((a, b) => a.order - b.order)) {
    part.start(onFault)
    await pause(random.below(300))
  }
  const isUp = await Promise.race([
    Promise.all(chosen.map(part => part.up())).then(
      () => true,
      () => false,
    ),
    pause(UP_WITHIN_MS, false, { ref: false }),
  ])
  if (!isUp) findings.push({ wrong: 'unsettled', deed: 'process', what: `not up after a restore: ${namesOf(chosen)}` })
}

const namesOf = (parts: readonly RestorablePart[]): string => parts.map(({ name }) => name).join(', ')

/** The stopped clients' databases, and the keys that they have used. */
function storedFindings({ clients }: RestoresWorld, { said }: RestoresTalk): Finding[] {
  const known = new Set(said.map(({ text }) => text))
  return clients.flatMap((part): Finding[] => {
    const texts = readClient(part.process.directory).messages.filter(({ text }) => known.has(text))
    const doubled = texts.filter(({ text }, at) => texts.findIndex(other => other.text === text) < at)
    return [
      ...doubled.map(({ text }) => ({ wrong: 'doubled' as const, deed: 'text', what: `${part.name} has "${text}"` })),
      ...part.keysUsedAgain().map(key => ({
        wrong: 'fault-of-ours' as const,
        deed: 'key',
        what: `${part.name} has encrypted twice under the key with the hash ${key}`,
      })),
    ]
  })
}
