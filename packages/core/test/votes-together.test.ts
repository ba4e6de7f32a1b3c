// Votes that are written together: one event covers consecutive ones, and nothing else changes its place.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, type GroupId, type MessageId, type SendId, silentLog } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { ManualClock } from '@postern/testkit/clock'
import { test as inWorld } from '@postern/testkit/fixtures'
import fc from 'fast-check'
import { test as base, describe, expect } from 'vitest'
import { type ChatRow, findChat, insertChat } from '../src/chats/records/chats.ts'
import type { Core } from '../src/context.ts'
import type { JournalEvent } from '../src/journal/journal.ts'
import type { ContentEvent } from '../src/kinds/content-event.ts'
import { closedHere } from '../src/messages/polls.ts'
import type { Database } from '../src/storage/database.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { Store } from '../src/storage/transactions/store.ts'
import { applyContent } from '../src/timeline/apply-content.ts'
import { closePolls } from '../src/timeline/close-polls.ts'
import { Typists } from '../src/typing/typists.ts'

const [bot, ...people] = ['bot', 'alice', 'bob', 'carol'] as AccountId[] as [AccountId, ...AccountId[]]
const polls = ['poll one', 'poll two'] as MessageId[]
const GROUP = 'group' as ChatId

type Deed =
  | { kind: 'vote'; poll: MessageId; voter: AccountId; option: number }
  | { kind: 'text' | 'failure' }
  | { kind: 'close' | 'delete'; poll: MessageId }

const ofPoll = fc.constantFrom(...polls)
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('vote' as const),
      poll: ofPoll,
      voter: fc.constantFrom(...people),
      option: fc.nat({ max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('text' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'delete' as const), poll: ofPoll }) },
)

/** A store with two polls of the bot in a group. */
class Scene {
  readonly #store: Store
  readonly #core: Core
  #said = 0

  constructor(store: Store) {
    this.#store = store
    this.#core = {
      own: { id: bot },
      store,
      clock: { nowMs: () => 0 },
      elapsed: { nowMs: () => 0, latestMs: () => 0 },
      log: silentLog,
      rescheduleTimers: () => {},
      wakeChores: () => {},
      arrived: () => {},
      typists: new Typists(new ManualClock()),
    } as unknown as Core
  }

  async begin(): Promise<this> {
    const chat = { id: GROUP, group_id: 'g' as GroupId, state: 'active' as const, visible: 1, first_seen_ts: 1 }
    const settings = { v: 1 as const, type: 'group' as const, title: 'team', admins: [], timerMs: 0, generation: 0 }
    await this.#store.write(database => insertChat(database, chat, settings))
    for (const id of polls) {
      const body = { kind: 'poll' as const, question: 'Tea?', options: ['a', 'b', 'c'], multiple: false }
      await this.#say(bot, body, id)
    }
    return this
  }

  /** Resolves when it is written; deeds of one turn are written together. */
  async do(done: Deed): Promise<void> {
    switch (done.kind) {
      case 'vote':
        return await this.#say(done.voter, { kind: 'vote', target: done.poll, options: [done.option] })
      case 'text':
        return await this.#say(people[0] as AccountId, { kind: 'text', text: 'hello' })
      case 'close':
        return await this.#say(bot, { kind: 'close', target: done.poll })
      case 'delete':
        return await this.#say(bot, { kind: 'delete', target: done.poll })
      case 'failure':
        return await this.#store.write(database => {
          const body = { kind: 'vote' as const, target: polls[1] as MessageId, options: [0] }
          this.#apply(database, { id: 'never' as MessageId, sender: people[0] as AccountId, body })
          throw new Error('a fault')
        })
    }
  }

  /** As a chore does once every vote was read. */
  async tellEnds(): Promise<void> {
    await closePolls(this.#core, { untilTs: 0, closed: closedHere(this.#core) })
  }

  told(): { id: number; event: JournalEvent }[] {
    const rows = this.#store.all<{ id: number; json: string }>('SELECT id, json FROM journal ORDER BY id')
    return rows.map(({ id, json }) => ({ id, event: JSON.parse(json) as JournalEvent }))
  }

  async #say(sender: AccountId, body: ContentEvent['body'], id = `said ${++this.#said}` as MessageId): Promise<void> {
    const ts = 1000 + ++this.#said
    await this.#store.write(database => this.#apply(database, { id, sender, body, ts }))
  }

  #apply(
    database: Database,
    { ts = 1, ...heard }: Pick<ContentEvent, 'id' | 'sender' | 'body'> & { ts?: number },
  ): void {
    const chat = findChat(database, GROUP) as ChatRow
    const said: ContentEvent = {
      ...heard,
      ts,
      chat,
      group: chat.group_id,
      send: `send ${ts}` as SendId,
    }
    applyContent(this.#core, database, { ...said, way: 'in the chat' })
  }
}

/** A voter that repeats its vote moves behind the others, and that is not reported before something else changes. */
const inAnyOrder = (event: Extract<JournalEvent, { type: 'poll' }>): JournalEvent => {
  const { message } = event
  const sorted = message.poll?.options.map(option => ({
    ...option,
    voters: option.voters.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  }))
  return {
    ...event,
    message: { ...message, ...(message.poll && { poll: { ...message.poll, options: sorted ?? [] } }) },
  }
}

/**
 * Only the last event of a poll before another event, and before its end, must be reported: the others may be left out.
 */
function withoutRepeats(told: JournalEvent[]): JournalEvent[] {
  const kept: JournalEvent[] = []
  const isEnd = (event: JournalEvent) => event.type === 'poll' && event.message.poll?.closed === true
  const isSame = (one: JournalEvent, other: JournalEvent) =>
    one.type === 'poll' && other.type === 'poll' && one.message.id === other.message.id && !isEnd(other)
  for (const event of told) {
    // A poll that was deleted since has only its sender and time left;
    // one deleted in the same transaction has no event.
    if (event.type === 'poll' && !event.message.poll) continue
    const run = kept.findLastIndex(before => before.type !== 'poll' || isEnd(before)) + 1
    const before = kept.findIndex((other, at) => at >= run && isSame(other, event))
    if (before >= 0) kept.splice(before, 1)
    kept.push(event.type === 'poll' ? inAnyOrder(event) : event)
  }
  return kept
}

// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
const test = base.extend('open', ({}, { onCleanup }) => {
  const opened: { store: Store; directory: string }[] = []
  onCleanup(() => {
    for (const { store, directory } of opened) {
      store.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })
  return (): Promise<Scene> => {
    const directory = mkdtempSync(join(tmpdir(), 'votes-together-'))
    const store = new Store(openDataDirectory(directory), setImmediate)
    opened.push({ store, directory })
    return new Scene(store).begin()
  }
})

const vote = (voter: number, option: number): Deed => ({
  kind: 'vote',
  poll: polls[0] as MessageId,
  voter: people[voter] as AccountId,
  option,
})
const votesOf = (message: Message | undefined) =>
  message?.poll?.options.map(option => option.voters.map(({ id }) => id))
const pollsIn = (told: JournalEvent[]) => told.flatMap(event => (event.type === 'poll' ? [event.message] : []))

describe('[CORE-6.12] votes that are written together', () => {
  test('are one event, which is the poll after the last of them; in turns each is its own', async ({ open }) => {
    const scene = await open()
    await Promise.all([vote(0, 0), vote(1, 0), vote(2, 1), vote(0, 2)].map(one => scene.do(one)))
    const events = () => pollsIn(scene.told().map(({ event }) => event))
    expect(events().map(votesOf)).toEqual([[['bob'], ['carol'], ['alice']]])
    await scene.do(vote(1, 1))
    await scene.do(vote(1, 2))
    expect(events().map(votesOf).slice(1)).toEqual([
      [[], ['carol', 'bob'], ['alice']],
      [[], ['carol'], ['alice', 'bob']],
    ])
  })

  test('and a fault among them: each is told by itself, none twice', async ({ open }) => {
    const scene = await open()
    const deeds: Deed[] = [vote(0, 0), vote(1, 0), { kind: 'failure' }, vote(2, 1)]
    const outcomes = await Promise.allSettled(deeds.map(one => scene.do(one)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(pollsIn(scene.told().map(({ event }) => event)).map(votesOf)).toEqual([
      [['alice'], [], []],
      [['alice', 'bob'], [], []],
      [['alice', 'bob'], ['carol'], []],
    ])
  })

  test('and the closing of their poll: the end is told once, by an event of its own', async ({ open }) => {
    const scene = await open()
    const deeds: Deed[] = [vote(0, 0), { kind: 'close', poll: polls[0] as MessageId }]
    await Promise.all(deeds.map(one => scene.do(one)))
    await scene.tellEnds()
    const told = pollsIn(scene.told().map(({ event }) => event))
    expect(told.map(({ poll }) => poll?.closed)).toEqual([false, true])
    expect(told.map(votesOf)).toEqual([
      [['alice'], [], []],
      [['alice'], [], []],
    ])
  })

  test('tell the same as in turns, before and after whatever else is told, and the end of a poll once', {
    timeout: 120_000,
  }, async ({ open }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(deed, { minLength: 1, maxLength: 8 }), { maxLength: 4 }), async batches => {
        const [together, inTurns] = [await open(), await open()]
        for (const batch of batches) {
          const before = together.told()
          await Promise.all(batch.map(one => together.do(one)))
          for (const one of batch) await inTurns.do(one)
          // Events that were handed out stay the same, except for the text of deleted messages.
          if (!batch.some(({ kind }) => kind === 'delete'))
            expect(together.told().slice(0, before.length)).toEqual(before)
          for (const scene of [together, inTurns]) await scene.tellEnds()
        }
        const [one, other] = [together, inTurns].map(scene => withoutRepeats(scene.told().map(({ event }) => event)))
        expect(one).toEqual(other)
        const ids = together.told().map(({ id }) => id)
        expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
        for (const poll of polls)
          expect(
            pollsIn(together.told().map(({ event }) => event)).filter(({ id, poll: at }) => id === poll && at?.closed)
              .length,
          ).toBeLessThan(2)
      }),
      { numRuns: 25 },
    )
  })
})

inWorld('[CORE-6.12] what waited at the relay is told with the last word of each', async ({ alice, bob, carol }) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'tea', members: [bob.id, carol.id] }, WITHIN)
  const asked = await alice.client.messages.sendPoll(
    chat,
    { question: 'Tea?', options: ['a', 'b'], multiple: false },
    WITHIN,
  )
  for (const person of [bob, carol]) await person.next('message', event => event.message.id === asked.id)
  const votes = (person: TestPerson, options: number[]) =>
    person.client.messages.vote(chat, { message: asked.id, options }, WITHIN)
  alice.wire.hold()
  await votes(bob, [0])
  await votes(carol, [0])
  await votes(bob, [1])
  await bob.say(chat, 'I have changed my mind')
  await votes(carol, [1])
  await expect.poll(() => alice.wire.held.length).toBeGreaterThan(0)
  alice.wire.release()
  await alice.next('poll', ({ message }) => message.poll?.options[1]?.votes === 2)
  const told = alice.client.journal.read(0, 100).map(({ json }) => JSON.parse(json) as JournalEvent)
  const text = told.findIndex(event => event.type === 'message' && event.message.text === 'I have changed my mind')
  expect(text).toBeGreaterThan(0)
  const names = (event: JournalEvent | undefined) =>
    event?.type === 'poll'
      ? event.message.poll?.options.map(option => option.voters.map(({ name }) => name))
      : event?.type
  expect(names(told[text - 1])).toEqual([['carol'], ['bob']])
  expect(names(told[text + 1])).toEqual([[], ['bob', 'carol']])
  expect(told).toHaveLength(text + 2)
})
