// kill -9 of the relay, of the gateway and of people in the middle of uploads, downloads, votes and presses.
import { createReadStream, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '@postern/bot-api/objects'
import { readClient } from '@postern/testkit/client-database'
import type { Killable, PersonProcess } from '@postern/testkit/processes'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { expect, test } from 'vitest'
import { filesIn } from './data-files.ts'
import { botWithFiles, type FileActor, personWithFiles, sha256 } from './file-actors.ts'
import { FileTraffic, OPTIONS, type Stage } from './file-traffic.ts'
import { botOf, expectAlive, type Parts, startParts } from './killable-parts.ts'
import { EchoOperator } from './operator.ts'
import { rowsOf } from './relay-database.ts'

const KILLS = timesFrom('KILL_COUNT', { change: 3, campaign: 8 })
const SETTLE_WITHIN_MS = 180_000
/** Longer than any deadline of a command or a request. */
const ANSWER_WITHIN_MS = 120_000

/** Toasts by press, and the people who saw them. */
type Toasts = Map<string, { presser: string; texts: Set<string> }>
type Scene = Stage & { parts: Parts; toasts: Toasts }

test(
  '[CORE-7.1, CORE-6.8, CORE-13.8] kill -9 under files, polls and presses: acknowledged is there once and whole, nothing is half or left over',
  async () => {
    const seed = seedFrom('KILL_SEED')
    console.info(`to repeat: KILL_SEED=${seed}`)
    const random = new SeededRandom(seed)
    const scene = await setScene(await startParts(['alice', 'bob']))
    const { parts } = scene
    const everything: Killable[] = [parts.relay, parts.gateway, ...parts.people]
    const traffic = new FileTraffic(random, scene)
    const operator = new EchoOperator(parts.gateway, {
      random,
      wantsEcho: () => false,
      onUpdate: ({ button }) => button && traffic.answer(button.press_id),
    })
    const operating = operator.run()
    const acting = Promise.all(actorsOf(scene).map(actor => traffic.run(actor)))
    // Awaited after the last kill: an earlier failure must not end the process.
    acting.catch(() => undefined)
    operating.catch(() => undefined)

    for (let kill = 0; kill <= KILLS; kill++) {
      await traffic.goesOn(5 + random.below(20))
      // At last all parts in one step, during transfers.
      const victims = kill < KILLS ? [random.of([parts.relay, parts.gateway, random.of(parts.people)])] : everything
      traffic.burst()
      await pause(random.below(80))
      await Promise.all(victims.map(victim => victim.kill()))
      await pause(random.below(150))
      for (const victim of victims) victim.start()
      expectAlive(parts)
    }

    // However slow the machine is: the checked deeds must have happened.
    while (!isEnough(traffic)) await traffic.goesOn(1)
    traffic.stop()
    await expect.poll(() => traffic.underWay, { timeout: ANSWER_WITHIN_MS, message: 'not answered' }).toEqual([])
    await acting
    const lists = await settled(scene, operator)
    await expectWholeFiles(scene, lists[0] as Message[])
    await expectNothingLeft(scene, lists[0] as Message[])
    await expectToasts(scene, traffic)
    operator.stop()
    await operating
    for (const part of everything.toReversed()) await part.kill()
    checkLists(scene, lists, traffic)
    checkPresses(traffic, operator)
    await checkDisks(scene)
  },
  600_000 + KILLS * 5000,
)

const isEnough = ({ files, fetched, polls, presses }: FileTraffic): boolean =>
  Math.min(files.size, fetched, polls.size, presses.size) > 0

const actorsOf = ({ bot, people }: Stage): FileActor[] => [bot, ...people]
const folderOf = (person: PersonProcess): string => `${person.directory} downloads`

async function setScene(parts: Parts): Promise<Scene> {
  const { gateway, people } = parts
  const ids = await Promise.all(people.map(person => person.ready()))
  const bot = await botOf(gateway)
  const [alice] = people as [PersonProcess]
  const desk = `${gateway.directory} desk`
  for (const folder of [desk, ...people.map(folderOf)]) mkdirSync(folder)
  for (const person of people) await person.do('open', { invite: bot.invite_url })
  const { id: chat } = await alice.do<{ id: string }>('group', { name: 'all', members: [ids[1], bot.id] })
  await alice.do('send', { chat, text: 'welcome' })
  const toasts: Toasts = new Map()
  for (const [at, person] of people.entries())
    person.onEvent = ({ toast }) => {
      if (!toast) return
      const known = toasts.get(toast.press_id) ?? { presser: ids[at] as string, texts: new Set() }
      expect(known.presser, 'a toast is for one').toBe(ids[at])
      known.texts.add(toast.text)
      toasts.set(toast.press_id, known)
    }
  const pressers = people.map((person, at) =>
    personWithFiles(person, { id: ids[at] as string, folder: folderOf(person) }),
  )
  const scene = { parts, toasts, bot: botWithFiles(gateway, bot.id), people: pressers, chat, desk }
  for (const actor of actorsOf(scene)) while ((await actor.list(chat).catch(() => [])).length === 0) await pause(20)
  return scene
}

/** Every part is up; waits until everybody shows the same, twice in a row, and the bot has nothing to do. */
async function settled(scene: Scene, operator: EchoOperator): Promise<Message[][]> {
  const endMs = Date.now() + SETTLE_WITHIN_MS
  let lists: Message[][] = []
  for (let same = 0; same < 2 && Date.now() < endMs; ) {
    await pause(400)
    expectAlive(scene.parts)
    lists = await Promise.all(actorsOf(scene).map(actor => actor.list(scene.chat).catch(() => [])))
    const isSame = new Set(lists.map(list => JSON.stringify(list.map(shownToAll)))).size === 1
    same = isSame && operator.isIdle ? same + 1 : 0
  }
  return lists
}

const shownToAll = ({ id, from, ts, text, file, poll, buttons }: Message) => ({
  id,
  from: from.id,
  ts,
  text,
  file: file && `${file.name} ${file.size}`,
  buttons: buttons?.length,
  poll: poll && { ...poll, voted: [], options: poll.options.map(({ voters }) => voters.map(voter => voter.id).sort()) },
})

/** Everybody's copy of each file has the bytes that its name says; so have those that were saved before a kill. */
async function expectWholeFiles(scene: Scene, list: Message[]): Promise<void> {
  const names = new Map<string, string>(list.flatMap(({ id, file }) => (file ? [[id, file.name] as const] : [])))
  expect(new Set(names.values()).size, 'no file came twice').toBe(names.size)
  for (const actor of actorsOf(scene))
    for (const [id, name] of names)
      expect(`${await actor.fetchFile(scene.chat, id)}.bin`, `${id} as ${actor.name} has it`).toBe(name)
  for (const folder of scene.parts.people.map(folderOf))
    for (const id of readdirSync(folder).filter(id => names.has(id)))
      expect(`${await sha256(createReadStream(join(folder, id)))}.bin`).toBe(names.get(id))
}

/**
 * Those that the relay has completely. Others have no bytes: their owner was killed before it could store the
 * announcement, and the relay removes them after a day.
 */
const wholeBlobs = (relayDirectory: string): Promise<string[]> =>
  rowsOf(relayDirectory, 'SELECT id FROM blob WHERE done_ms IS NOT NULL ORDER BY id')

const partsIn = (directory: string): string[] => filesIn(directory).filter(path => path.endsWith('.part'))

async function expectNothingLeft({ parts, desk }: Scene, list: Message[]): Promise<void> {
  const { relay, gateway, people } = parts
  const count = list.filter(({ file }) => file).length
  const folders = [gateway.directory, desk, ...people.flatMap(person => [person.directory, folderOf(person)])]
  expect(folders.flatMap(partsIn), 'temporary files').toEqual([])
  const blobs = () => filesIn(join(relay.directory, 'blobs')).length
  await expect.poll(blobs, { message: 'blobs at the relay' }).toBe(count)
  const kept = [gateway, ...people].map(({ directory }) => join(directory, 'files'))
  const mostKept = () => Math.max(...kept.map(folder => readdirSync(folder).length))
  await expect.poll(mostKept, { message: 'kept files' }).toBeLessThanOrEqual(count)
}

async function expectToasts({ toasts }: Scene, traffic: FileTraffic): Promise<void> {
  const owed = [...traffic.answers].filter(([, value]) => value.acknowledged.length > 0)
  await expect.poll(() => owed.filter(([press]) => !toasts.has(press)).length).toBe(0)
  for (const [press, { texts }] of toasts) {
    const possible = traffic.answers.get(press)?.possible
    for (const text of texts) expect(possible, `toast of ${press}`).toContain(text)
  }
}

function checkLists(scene: Scene, lists: Message[][], traffic: FileTraffic): void {
  const [first = []] = lists
  for (const [at, list] of lists.entries())
    expect(list.map(shownToAll), `as ${actorsOf(scene)[at]?.name} lists it`).toEqual(first.map(shownToAll))
  const byId = new Map<string, Message>(first.map(message => [message.id, message]))
  for (const { id, presence } of traffic.files.values())
    expect(presence.possible, `file ${id}`).toContain(byId.has(id) ? 'there' : 'gone')
  for (const poll of traffic.polls.values()) {
    const shown = byId.get(poll.id)?.poll
    expect(poll.state.possible).toContain(shown?.closed ? 'closed' : 'open')
    for (const actor of actorsOf(scene)) {
      const isVoter = (at: number) => shown?.options[at]?.voters.some(({ id }) => id === actor.id)
      const vote = JSON.stringify(OPTIONS.flatMap((_, at) => (isVoter(at) ? [at] : [])))
      expect(poll.votes.get(actor.id)?.possible ?? ['[]'], `vote of ${actor.name} in ${poll.id}`).toContain(vote)
    }
  }
  const closed = [...traffic.polls.values()].filter(({ state }) => state.acknowledged.length > 0).length
  const erased = [...traffic.files.values()].filter(({ presence }) => presence.acknowledged.length > 0).length
  const { files, polls, fetched } = traffic
  console.info({ files: files.size, erased, fetched, polls: polls.size, closed, presses: traffic.presses.size })
}

/** An acknowledged press is one update; an unacknowledged one is at most one. */
function checkPresses(traffic: FileTraffic, operator: EchoOperator): void {
  const told = [...operator.updates.values()].flatMap(({ button }) => button ?? [])
  const ids = told.map(({ press_id }) => press_id)
  expect(new Set(ids).size, 'each press is one update').toBe(ids.length)
  const updates = Map.groupBy(told, ({ message_id, data, from }) => `${message_id} ${data} ${from.id}`)
  for (const [key, { tries, acknowledged }] of traffic.presses) {
    const heard = updates.get(key)?.map(({ press_id }) => press_id) ?? []
    expect(heard, `updates of ${key}`).toEqual(expect.arrayContaining(acknowledged))
    expect(heard.length, `updates of ${key}`).toBeLessThanOrEqual(tries)
    updates.delete(key)
  }
  expect([...updates.keys()], 'nobody pressed these').toEqual([])
}

/** The blobs that messages name are known from the databases alone. */
async function checkDisks({ parts: { relay, gateway, people } }: Scene): Promise<void> {
  const whole = await wholeBlobs(relay.directory)
  for (const { directory } of [gateway, ...people]) {
    const { outbox, blobs, uploads } = readClient(directory)
    expect([outbox, uploads], 'nothing is left in doubt').toEqual([0, 0])
    expect(blobs.toSorted(), 'what messages name is what the relay has').toEqual(whole)
    const kept = readdirSync(join(directory, 'files')).map(name => name.split('.')[0])
    expect(kept.filter(blob => !blobs.includes(blob ?? ''))).toEqual([])
  }
}
