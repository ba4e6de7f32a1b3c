// The cost of a marked message while devices wait: no mailbox is read again for each message that comes.
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type GroupId, pushLimits } from '@postern/protocol'
import type { PushReply, PushService } from '@postern/testkit/push-service'
import { readScrape } from '@postern/testkit/scrape'
import { isOnPostgres } from '@postern/testkit/test-databases'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DevicePushes } from '../src/push/device-pushes.ts'
import type { DueDevice, DueEntry } from '../src/store/push-store.ts'
import type { Sqlite } from '../src/store/sqlite/database.ts'
import { DueRows } from '../src/store/sqlite/push/due-rows.ts'
import {
  type AwayReader,
  chatWithAway,
  goAway,
  type PushWorld,
  passing,
  pushesOf,
  pushService,
  pushWorld,
  readAndLeave,
  say,
} from './push-fixture.ts'
import { arrive, type Connected, chatOf, temporaryDirectory } from './relay-fixture.ts'
import { anotherDevice } from './test-client.ts'

const metrics = { host: '127.0.0.1', port: 0 }
const ENTRIES_READ = 'postern_relay_push_entries_read_total'
const WAITING = 'postern_relay_pushes_waiting'

async function metric({ relay }: PushWorld, name: string): Promise<number> {
  const { samples } = readScrape(await (await fetch(`${relay.metricsUrl}/metrics`)).text())
  return samples[name] ?? 0
}

async function until(world: PushWorld, name: string, value: number): Promise<void> {
  while ((await metric(world, name)) !== value) await nextTurn()
}

type Crowd = { world: PushWorld; theirs: PushService; alice: Connected; members: AwayReader[]; group: GroupId }

/** Alice, and people in a group with her whose devices are away: they have a push service of their own. */
async function crowd(count: number, muted: 'muted' | 'loud' = 'loud'): Promise<Crowd> {
  const [ours, theirs] = [await pushService(), await pushService()]
  const given = await pushWorld({ metrics, push: { hosts: [ours.origin, theirs.origin] } })
  const world = { ...given, service: ours }
  const alice = await arrive(world.relay)
  const people: Connected[] = []
  for (let at = 0; at < count; at++) people.push(await arrive(world.relay))
  const group = await chatOf(alice, ...people)
  const members: AwayReader[] = []
  for (const person of people) members.push(await goAway(theirs, person, muted === 'muted' ? [group] : []))
  return { world, theirs, alice, members, group }
}

/** Sends each message when the pusher has looked for those before: a push to Bob in a chat of his own follows each. */
async function sendInTurn({ world, alice, group }: Crowd, count: number): Promise<void> {
  const bob = await arrive(world.relay)
  const chats: GroupId[] = []
  for (let at = 0; at < count; at++) chats.push(await chatOf(alice, bob))
  const { browser } = await goAway(world.service, bob)
  for (const [at, chat] of chats.entries()) {
    await say(alice, group)
    await say(alice, chat)
    await pushesOf(world, browser, at + 1)
  }
}

async function asked({ received }: PushService, count: number): Promise<void> {
  while (received.length < count) await nextTurn()
}

const MEMBERS = 6
const MESSAGES = 8

/** Each message once for each member, and what Bob has: reading again what waits would be some hundreds. */
const ONCE = MESSAGES * (MEMBERS + 4)

// Nothing of the members is read while no push to them may go out; one that hangs may end within the test.
test.each([
  ['hangs', 'hang', ONCE],
  ['asks for patience', { status: 429, headers: { 'retry-after': '3600' } }, MESSAGES * 4],
  ['fails and rests', { status: 503 }, MESSAGES * 4],
] as const)('[RELAY-10.28] a push service that %s: no message reads again what waits', async (_, reply, most) => {
  const crowded = await crowd(MEMBERS)
  const { world, theirs, members, alice, group } = crowded
  theirs.reply = () => reply
  await say(alice, group)
  await passing(world, asked(theirs, Math.min(members.length, pushLimits.failuresMax)))
  const before = await metric(world, ENTRIES_READ)
  await sendInTurn(crowded, MESSAGES)
  expect((await metric(world, ENTRIES_READ)) - before).toBeLessThan(most)
})

test('[RELAY-10.28] a service that rests: nothing is read for devices to which it was not asked to push', async () => {
  // More than the service gets requests before it rests: it is never asked for the last ones.
  const crowded = await crowd(pushLimits.requestsPerHostMax + pushLimits.failuresMax + 2)
  const { world, theirs, alice, group } = crowded
  theirs.reply = () => ({ status: 503 })
  await say(alice, group)
  await passing(world, asked(theirs, pushLimits.requestsPerHostMax))
  const before = await metric(world, ENTRIES_READ)
  await sendInTurn(crowded, MESSAGES)
  expect((await metric(world, ENTRIES_READ)) - before).toBeLessThan(MESSAGES * 4)
})

test('[RELAY-10.28] a muted group: each message is read once', async () => {
  const crowded = await crowd(MEMBERS, 'muted')
  const before = await metric(crowded.world, ENTRIES_READ)
  await sendInTurn(crowded, MESSAGES)
  const read = (await metric(crowded.world, ENTRIES_READ)) - before
  expect(read).toBeLessThan(ONCE)
  expect(crowded.theirs.received).toEqual([])
})

test('[RELAY-10.29] a device whose person has read everything elsewhere waits for no push', async () => {
  const { world, theirs, alice, members, group } = await crowd(1)
  const [{ reader, browser }] = members as [AwayReader]
  theirs.reply = () => ({ status: 429, headers: { 'retry-after': '60' } })
  await say(alice, group)
  await passing(world, theirs.receivedBy(browser, 1))
  const dueMs = world.clock.monotonicMs() + 60_000
  await until(world, WAITING, 1)
  const other = await arrive(world.relay, anotherDevice(reader.person))
  await readAndLeave(world, other, 2)
  await passing(world, until(world, WAITING, 0), dueMs)
  expect(await theirs.receivedBy(browser, 1)).toHaveLength(1)
})

test('[RELAY-10.30] what waits in more chats than memory holds for a device is pushed too, at its rate', async () => {
  const world = await pushWorld()
  const chatsMax = pushLimits.groupsWaitingMax
  const [alice, bob] = [await arrive(world.relay), await arrive(world.relay)]
  const chats: GroupId[] = []
  for (let at = 0; at < chatsMax + 5; at++) chats.push(await chatOf(alice, bob))
  const { browser } = await goAway(world.service, bob)
  const answers = [{ status: 429, headers: { 'retry-after': '60' } }]
  world.service.reply = () => answers.shift() ?? { status: 201 }
  await say(alice, chats[0] as GroupId)
  await passing(world, world.service.receivedBy(browser, 1))
  const retryMs = world.clock.monotonicMs() + 60_000
  for (const chat of chats.slice(1)) await say(alice, chat)
  await pushesOf(world, browser, { count: 1 + pushLimits.devicePerMinute, dueMs: retryMs })
  const dueMs = world.clock.monotonicMs() + 60_000
  const [, ...pushes] = await pushesOf(world, browser, { count: 1 + chats.length, dueMs })
  expect(pushes.map(({ group }) => group)).toEqual(chats)
})

test('[RELAY-10.30] memory holds what waits in that number of chats, and the rest is read after those', () => {
  const pushes = new DevicePushes()
  const chatsMax = pushLimits.groupsWaitingMax
  const waiting = Array.from({ length: chatsMax + 5 }, (_, at): [GroupId, DueEntry[]] => [
    `group ${at}` as GroupId,
    [{ pos: at + 1, entry: at + 1, isMention: false, sender: 'alice' as never, message: undefined, ts: 1 }],
  ])
  const due = {
    groups: new Map(waiting),
    through: waiting.length,
    setMs: 0,
    read: 0,
    pushed: 0,
  } as unknown as DueDevice
  pushes.add(due, 0)
  expect(pushes.sort(due, 0).ready.map(({ group }) => group)).toEqual(
    waiting.slice(0, chatsMax).map(([group]) => group),
  )
  expect([pushes.hasRead(due), pushes.readAfter(due, 0)]).toEqual([false, chatsMax])
})

test('[RELAY-10.32] a device that comes back while its push waits for a service that hangs gets none', async () => {
  // One more than the service gets requests at a time: that one waits.
  const crowded = await crowd(pushLimits.requestsPerHostMax + 1)
  const { world, theirs, members, alice, group } = crowded
  const answered = Promise.withResolvers<PushReply>()
  theirs.reply = () => answered.promise
  await say(alice, group)
  await passing(world, asked(theirs, pushLimits.requestsPerHostMax))
  const isAsked = ({ browser }: AwayReader) => theirs.received.some(({ path }) => browser.endpoint.endsWith(path))
  const late = members.find(member => !isAsked(member)) as AwayReader
  await arrive(world.relay, late.reader.person)
  // The push to Dave waits behind it.
  const dave = await arrive(world.relay)
  const chat = await chatOf(alice, dave)
  const { browser } = await goAway(theirs, dave)
  await say(alice, chat)
  answered.resolve({ status: 201 })
  await passing(world, theirs.receivedBy(browser, 1))
  expect(isAsked(late)).toBe(false)
})

const NUMBERS = { group: 1, after: 0, last: 1 }

/** The steps that SQLite plans for the statement that looks for the devices of a group. */
function plansOfGroups(database: Sqlite): string[][] {
  const plans: string[][] = []
  const prepare = (sql: string) => {
    const plan = database.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    if (sql.includes('FROM member m')) plans.push(plan.all(NUMBERS).map(({ detail }) => detail))
    return database.prepare(sql)
  }
  expect(new DueRows({ prepare } as unknown as Sqlite)).toBeDefined()
  return plans
}

test.skipIf(isOnPostgres())(
  '[RELAY-10.31] a page of a large group reads the subscriptions of its own members alone',
  async () => {
    const directory = temporaryDirectory()
    const { relay } = await pushWorld({ dataDirectory: directory })
    await relay.stop()
    const database = new Database(join(directory, 'relay.db'))
    onTestFinished(() => void database.close())
    expect(plansOfGroups(database)).toEqual([
      [
        'SEARCH m USING PRIMARY KEY (chat_group=? AND account>? AND account<?)',
        'SEARCH s USING INDEX push_subscription_account (account=?)',
        'SEARCH a USING INTEGER PRIMARY KEY (rowid=?)',
      ],
    ])
  },
)

test.skipIf(isOnPostgres())('[RELAY-10.31] others have their turn between two pages of a large group', async () => {
  const world = await pushWorld()
  const { alice, group, browser } = await chatWithAway(world)
  const turns = { count: 0, isOver: false }
  const countTurns = (): void => {
    turns.count += 1
    if (!turns.isOver) setImmediate(countTurns)
  }
  const pages: number[] = []
  const { look } = DueRows.prototype
  // As if pages without subscriptions came before the one with Bob.
  const looks = vi.spyOn(DueRows.prototype, 'look').mockImplementation(function (this: DueRows, asked, isVoid) {
    const page = look.call(this, asked, isVoid)
    if (asked.kind !== 'group' || pages.length === 3) return page
    pages.push(turns.count)
    return { ...page, away: [], next: '0' }
  })
  onTestFinished(() => looks.mockRestore())
  countTurns()
  await say(alice, group)
  await pushesOf(world, browser, 1)
  turns.isOver = true
  expect(new Set(pages).size).toBe(3)
})

test.skipIf(isOnPostgres())('[RELAY-10.27] a scan that is asked for during another one follows it', async () => {
  const { clock } = await pushWorld()
  const scans: number[] = []
  const { look } = DueRows.prototype
  // While the first one looks, the time for the next one comes: what it has passed by then is due.
  const looks = vi.spyOn(DueRows.prototype, 'look').mockImplementation(function (this: DueRows, asked, isVoid) {
    const page = look.call(this, asked, isVoid)
    if (asked.kind !== 'all' || asked.after !== '') return page
    scans.push(clock.monotonicMs())
    if (scans.length === 1) clock.advance(pushLimits.scanEveryMs)
    return page
  })
  onTestFinished(() => looks.mockRestore())
  clock.advance(pushLimits.scanEveryMs)
  while (scans.length < 2) await nextTurn()
  expect(scans[1]).toBe(clock.monotonicMs())
})
