// The tally under every order of arrival.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountId, ChatId, GroupId, MessageId, SendId } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatRow } from '../src/chats/records/chats.ts'
import type { Core } from '../src/context.ts'
import { close } from '../src/kinds/close.ts'
import { poll } from '../src/kinds/poll.ts'
import { vote as voteKind } from '../src/kinds/vote.ts'
import { viewPoll } from '../src/messages/poll-tally.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { Typists } from '../src/typing/typists.ts'

const people = ['alice', 'bob', 'carol'] as AccountId[]
const [alice] = people as [AccountId]
const body = { kind: 'poll' as const, question: 'Tea?', options: ['a', 'b', 'c'], multiple: true, closeTs: 900 }

const vote = fc.record({
  voter: fc.constantFrom(...people),
  options: fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
})
const deed = fc.oneof({ weight: 8, arbitrary: vote }, { weight: 1, arbitrary: fc.constant('close' as const) })

/** Deeds with their place in the log, and an order in which they arrive somewhere. */
const history = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 1000 }), deed), { selector: ([ts]) => ts, maxLength: 12 })
  .chain(deeds => fc.tuple(fc.constant(deeds), fc.shuffledSubarray(deeds, { minLength: deeds.length })))

test('[CORE-6.2] whatever the order of arrival, the tally is the one of the log', () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-'))
  const database = openDataDirectory(directory)
  const core = {
    own: { id: alice },
    clock: { nowMs: () => 0 },
    elapsed: { nowMs: () => 0 },
    rescheduleTimers: () => {},
    arrived: () => {},
    wakeChores: () => {},
    typists: new Typists(new ManualClock()),
  } as unknown as Core
  const chat = { id: 'chat' as ChatId, state: 'active' } as ChatRow
  const group = 'group' as GroupId
  let polls = 0

  function tallyOf(deeds: readonly (readonly [number, 'close' | { voter: AccountId; options: number[] }])[]) {
    const id = `poll ${polls++}` as MessageId
    const send = `send ${polls}` as SendId
    poll.apply(core, database, { id, chat, group, sender: alice, ts: polls, send, body })
    for (const [ts, done] of deeds) {
      const said = { id, chat, group, ts, send }
      if (done === 'close') close.apply(core, database, { ...said, sender: alice, body: { kind: 'close', target: id } })
      else
        voteKind.apply(core, database, {
          ...said,
          sender: done.voter,
          body: { kind: 'vote', target: id, options: done.options },
        })
    }
    const around = { reads: database, own: alice, person: (account: AccountId) => ({ id: account, name: account }) }
    const { options, voted } = viewPoll(around, id, body)
    return { options, voted }
  }

  try {
    fc.assert(
      fc.property(history, ([deeds, arrival]) => {
        const inOrder = [...deeds].sort(([a], [b]) => a - b)
        // The first closing ends it; if a second one arrives first, the earlier still counts.
        expect(tallyOf(arrival)).toEqual(tallyOf(inOrder))
      }),
      { numRuns: 300 },
    )
  } finally {
    database.close()
    rmSync(directory, { recursive: true })
  }
})
