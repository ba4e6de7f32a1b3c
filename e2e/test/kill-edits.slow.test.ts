// kill -9 of the relay, of the gateway and of people while they edit, delete, react, and messages disappear.
import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '@postern/bot-api/objects'
import { readClient } from '@postern/testkit/client-database'
import type { Killable, PersonProcess } from '@postern/testkit/processes'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { expect, test } from 'vitest'
import { type Stage, Traffic } from './deed-traffic.ts'
import { type Actor, botActor, personActor } from './killable-actors.ts'
import { botOf, expectAlive, type Parts, startParts } from './killable-parts.ts'
import { EchoOperator } from './operator.ts'
import { expectSoundFile } from './relay-database.ts'

const KILLS = timesFrom('KILL_COUNT', { change: 4, campaign: 10 })
const TIMER_MS = 1500
const SETTLE_WITHIN_MS = 180_000

type Scene = Stage & { parts: Parts }

test('[RELAY-2.15, CORE-8.3] kill -9 under edits, deletions, reactions and timers: acknowledged is seen by all, nothing comes twice', async () => {
  const seed = seedFrom('KILL_SEED')
  console.info(`to repeat: KILL_SEED=${seed}`)
  const random = new SeededRandom(seed)
  const scene = await setScene(await startParts(['alice', 'bob']))
  const { parts } = scene
  const traffic = new Traffic(random, scene)
  const bot = scene.actors[0] as Actor
  const operator = new EchoOperator(parts.gateway, {
    random,
    wantsEcho: () => false,
    onUpdate: update => traffic.hear(bot, update),
  })
  for (const [at, person] of parts.people.entries())
    person.onEvent = ({ event, ...rest }) => traffic.hear(scene.actors[at + 1] as Actor, { type: event, ...rest })
  const operating = operator.run()
  const acting = Promise.all(scene.actors.map(actor => traffic.run(actor)))
  // Awaited after the last kill: an earlier failure must not end the process.
  acting.catch(() => undefined)
  operating.catch(() => undefined)

  for (let kill = 0; kill < KILLS; kill++) {
    await traffic.goesOn(5 + random.below(60))
    const victim = random.of<Killable>([parts.relay, parts.gateway, random.of(parts.people)])
    traffic.burst()
    await pause(random.below(40))
    await victim.kill()
    await pause(random.below(150))
    victim.start()
    expectAlive(parts)
  }

  // However slow the machine is: the checked deeds must have happened.
  while (!isEnough(traffic.counts())) await traffic.goesOn(1)
  console.info(traffic.counts())
  traffic.stop()
  await acting
  const lists = await settled(scene, operator)
  operator.stop()
  await operating
  for (const part of [parts.gateway, ...parts.people, parts.relay]) await part.kill()
  checkLists(scene.actors, lists, traffic)
  for (const actor of scene.actors) checkTold(actor, { scene, traffic, last: lists[0] as Message[] })
  checkUpdates(scene, traffic)
  await checkDatabases(parts)
}, 600_000)

const isEnough = ({ edits, reactions, brief, erased }: ReturnType<Traffic['counts']>): boolean =>
  Math.min(edits, reactions, brief) > KILLS && erased > KILLS / 3

/** Two groups of everybody: in one messages last, in the other they disappear. */
async function setScene(parts: Parts): Promise<Scene> {
  const { gateway, people } = parts
  const ids = await Promise.all(people.map(person => person.ready()))
  const bot = await botOf(gateway)
  const [alice] = people as [PersonProcess]
  await alice.do('open', { invite: bot.invite_url })
  const members = [ids[1], bot.id]
  const { id: lasting } = await alice.do<{ id: string }>('group', { name: 'lasting', members })
  const { id: brief } = await alice.do<{ id: string }>('group', { name: 'brief', members })
  await alice.do('timer', { chat: brief, ms: TIMER_MS })
  for (const chat of [lasting, brief]) await alice.do('send', { chat, text: `welcome to ${chat}` })
  const actors = [botActor(gateway, bot.id), ...people.map((person, at) => personActor(person, ids[at] as string))]
  for (const actor of actors) {
    while ((await actor.timerMs(brief).catch(() => 0)) !== TIMER_MS) await pause(20)
    while ((await actor.list(lasting).catch(() => [])).length === 0) await pause(20)
  }
  return { parts, actors, told: new Map(actors.map(actor => [actor, []])), lasting, brief }
}

/** Every part is up; reads everything, until all list the same, twice in a row, and nothing is left of the brief chat. */
async function settled({ parts, actors, lasting, brief }: Scene, operator: EchoOperator): Promise<Message[][]> {
  const endMs = Date.now() + SETTLE_WITHIN_MS
  let lists: Message[][] = []
  for (let same = 0; same < 2 && Date.now() < endMs; ) {
    await pause(200)
    expectAlive(parts)
    for (const actor of actors) await actor.act({ kind: 'read', chat: brief })
    lists = await Promise.all(actors.map(actor => actor.list(lasting).catch(() => [])))
    const left = await Promise.all(actors.map(actor => actor.list(brief).catch(() => ['down'])))
    const isSame = new Set(lists.map(list => JSON.stringify(list.map(shownToAll)))).size === 1
    same = isSame && left.flat().length === 0 && operator.isIdle ? same + 1 : 0
    if (Date.now() >= endMs) expect(left.flat(), 'what should have disappeared').toEqual([])
  }
  return lists
}

const shownToAll = ({ id, from, ts, text, edited_ts, reactions = [] }: Message) => ({
  id,
  from: from.id,
  ts,
  text,
  edited_ts,
  reactions: reactions.map(reaction => `${reaction.from.id} ${reaction.emoji}`),
})

function checkLists(actors: Actor[], lists: Message[][], traffic: Traffic): void {
  const shown = lists.map(list => list.map(shownToAll))
  const names = actors.map(({ name, id }) => `${name} ${id}`).join()
  for (const [at, list] of shown.entries())
    expect(list, `${actors[at]?.name} lists the same as ${names}`).toEqual(shown[0])
  const byId = new Map<string, Message>(lists[0]?.map(message => [message.id, message]))
  for (const entry of traffic.lasting.entries.values()) entry.check(byId.get(entry.id))
}

type Checked = { scene: Scene; traffic: Traffic; last: Message[] }

/** For messages that still exist: every other actor received all acknowledged changes, in order. */
function checkTold(actor: Actor, { scene, traffic, last }: Checked): void {
  const told = scene.told.get(actor) ?? []
  for (const { id } of last) {
    const entry = traffic.lasting.entries.get(id)
    if (!entry) continue
    const edits = told.flatMap(({ type, message }) =>
      type === 'edited' && message?.id === id ? (message.text ?? '') : [],
    )
    if (entry.author !== actor.id) expectWithin(entry.words.acknowledged, edits)
    for (const [account, { acknowledged }] of entry.reactions) {
      const heard = told.flatMap(({ reaction }) =>
        reaction?.message_id === id && reaction.from.id === account ? reaction.emoji : [],
      )
      // Withdrawing a reaction that does not exist is no news.
      if (account !== actor.id)
        expectWithin(
          acknowledged.filter(emoji => emoji !== ''),
          heard,
        )
    }
  }
}

function expectWithin(acknowledged: readonly string[], told: readonly string[]): void {
  let at = 0
  for (const value of told) if (value === acknowledged[at]) at++
  expect(acknowledged.slice(at), `acknowledged, but not told in its order: ${told.join()}`).toEqual([])
}

/** The operator has checked the ids as they came: this checks the content under them. */
function checkUpdates({ actors, told, brief }: Scene, traffic: Traffic): void {
  const [bot] = actors as [Actor]
  const updates = told.get(bot) ?? []
  const messages = updates.flatMap(({ type, message }) => (type === 'message' ? (message?.id ?? []) : []))
  expect(new Set(messages).size, 'each message is one update').toBe(messages.length)
  const owed = traffic.acknowledged.filter(({ author }) => author !== bot.id).map(({ id }) => id)
  expect(
    owed.filter(id => !messages.includes(id)),
    'acknowledged, but no update',
  ).toEqual([])
  const edits = updates.flatMap(({ type, message }) => (type === 'edited' ? (message?.text ?? []) : []))
  expect(new Set(edits).size, 'each edit is one update').toBe(edits.length)
  const expired = updates.flatMap(update => update.expired ?? [])
  expect(new Set(expired).size, 'each message expires once').toBe(expired.length)
  const disappeared = [...traffic.brief.entries.keys()]
  expect(
    disappeared.filter(id => !expired.includes(id)),
    `disappeared from ${brief} without an update`,
  ).toEqual([])
}

async function checkDatabases({ relay, gateway, people }: Parts): Promise<void> {
  await expectSoundFile(relay.directory)
  for (const { directory } of [gateway, ...people])
    expect(readClient(directory).outbox, 'nothing is left in doubt').toBe(0)
}
