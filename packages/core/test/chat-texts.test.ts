// The list of chats kept as text: after any change it equals a newly built one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chat } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, clientLimits, type GroupId, silentLog } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { ManualClock } from '@postern/testkit'
import fc from 'fast-check'
import { test as base, describe, expect } from 'vitest'
import { ChatTexts } from '../src/chats/records/chat-texts.ts'
import * as chats from '../src/chats/records/chats.ts'
import { forgetChat, hideChat, setChatBlocked } from '../src/chats/records/declined-chats.ts'
import * as farewells from '../src/chats/records/farewells.ts'
import * as people from '../src/identity/people.ts'
import { noteBlocked, noteVerified } from '../src/identity/trust.ts'
import type { Database } from '../src/storage/database.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { type DatabaseChange, Store } from '../src/storage/transactions/store.ts'

const accounts = ['a', 'b', 'c'].map(letter => letter.repeat(32) as AccountId)
const groups = ['team', 'tea'].map(name => name as ChatId)
const named = [...groups, ...accounts.map(account => account as string as ChatId)]

const chat = fc.constantFrom(...named)
const account = fc.constantFrom(...accounts)
const name = fc.constantFrom('', 'Ada', 'Böll', '名前', '🦊 "fox"\\', 'A name\u0000with a sign')
const bit = fc.constantFrom(0 as const, 1 as const)
const state = fc.constantFrom<Chat['state'][]>('active', 'request', 'left')
const ts = fc.constantFrom(0, 1, 2, 3)

const settingsOf = (id: ChatId, title: string): GroupSettings =>
  groups.includes(id)
    ? { v: 1, type: 'group', title, admins: accounts.slice(1), timerMs: title.length, generation: 0 }
    : { v: 1, type: 'private', generation: 0, timerMs: title.length }

/** All changes that show in a list, made by the functions that write them. */
const change: fc.Arbitrary<DatabaseChange<unknown>> = fc.oneof(
  fc.tuple(chat, state, bit, ts, name).map(
    ([id, stateIs, visible, first_seen_ts, title]): DatabaseChange<unknown> =>
      database =>
        chats.insertChat(
          database,
          { id, group_id: 'g' as GroupId, state: stateIs, visible, first_seen_ts },
          settingsOf(id, title),
        ),
  ),
  fc.tuple(chat, name).map(
    ([id, title]): DatabaseChange<unknown> =>
      database =>
        chats.applySettings(database, id, settingsOf(id, title)),
  ),
  fc.tuple(chat, fc.uniqueArray(account), name).map(
    ([id, members, title]): DatabaseChange<unknown> =>
      database =>
        chats.replaceMembers(database, id, { accounts: members, settings: settingsOf(id, title) }),
  ),
  fc.tuple(chat, account).map(
    ([id, who]): DatabaseChange<unknown> =>
      database =>
        chats.deleteMember(database, id, who),
  ),
  fc.tuple(chat, account).map(
    ([id, who]): DatabaseChange<unknown> =>
      database =>
        farewells.noteLeaving(database, id, { account: who }),
  ),
  fc.tuple(chat, account).map(
    ([id, who]): DatabaseChange<unknown> =>
      database =>
        farewells.noteReturn(database, id, who),
  ),
  chat.map(
    (id): DatabaseChange<unknown> =>
      database =>
        farewells.endFarewells(database, id),
  ),
  chat.map(
    (id): DatabaseChange<unknown> =>
      database =>
        chats.revealChat(database, id),
  ),
  chat.map(
    (id): DatabaseChange<unknown> =>
      database =>
        chats.noteUnread(database, id),
  ),
  chat.map(
    (id): DatabaseChange<unknown> =>
      database =>
        chats.setUnread(database, id, 0),
  ),
  fc.tuple(chat, state).map(
    ([id, stateIs]): DatabaseChange<unknown> =>
      database =>
        chats.setChatState(database, id, stateIs),
  ),
  fc.tuple(chat, state, ts).map(
    ([id, stateIs, at]): DatabaseChange<unknown> =>
      database =>
        chats.showChat(database, id, { state: stateIs, ts: at }),
  ),
  chat.map(
    (id): DatabaseChange<unknown> =>
      database =>
        hideChat(database, id),
  ),
  chat.map(
    (id): DatabaseChange<unknown> =>
      database =>
        forgetChat(database, id),
  ),
  fc.tuple(chat, bit).map(
    ([id, blocked]): DatabaseChange<unknown> =>
      database =>
        setChatBlocked(database, id, blocked),
  ),
  fc.tuple(account, name).map(
    ([who, called]): DatabaseChange<unknown> =>
      database =>
        people.noteHello(database, who, { hello: { name: called, profileKey: new Uint8Array(32) }, version: 9 }),
  ),
  fc.tuple(account, name, bit).map(
    ([who, called, bot]): DatabaseChange<unknown> =>
      database =>
        people.noteOwnProfile(database, who, { name: called, about: '', bot: bot === 1, commands: [] }),
  ),
  fc.tuple(account, bit).map(
    ([who, blocked]): DatabaseChange<unknown> =>
      database =>
        noteBlocked(database, who, blocked),
  ),
  account.map(
    (who): DatabaseChange<unknown> =>
      database =>
        noteVerified(database, who, 'verified'),
  ),
  account.map(
    (who): DatabaseChange<unknown> =>
      database =>
        database.run('DELETE FROM person WHERE account_id = ?', who),
  ),
)

type Step =
  | { kind: 'write'; change: DatabaseChange<unknown>; durability: 'durable' | 'deferred' }
  /** It throws at its end: its changes are rolled back, and deferred ones are applied again. */
  | { kind: 'failing'; change: DatabaseChange<unknown>; looksInside: boolean }
  /** Deferred, and refuses to be applied again. */
  | { kind: 'once'; change: DatabaseChange<unknown> }
  | { kind: 'time passes' }
  | { kind: 'begin anew' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      change,
      durability: fc.constantFrom('durable' as const, 'deferred' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('failing' as const), change, looksInside: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('once' as const), change }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'time passes' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'begin anew' as const }) },
)

const textOf = (texts: ChatTexts): string => new TextDecoder('utf-8', { fatal: true }).decode(texts.all())
const madeAnew = (store: Store): string => JSON.stringify(chats.viewChats(store, chats.visibleChats(store)))

/** Kept from the second request on. */
function keptTexts(store: Store): ChatTexts {
  const texts = new ChatTexts(store)
  texts.all()
  return texts
}

function once(apply: DatabaseChange<unknown>): DatabaseChange<unknown> {
  let times = 0
  return database => {
    if (times++ > 0) throw new Error('not again')
    apply(database)
  }
}

const failing =
  (apply: DatabaseChange<unknown>, look: () => void): DatabaseChange<unknown> =>
  database => {
    apply(database)
    look()
    throw new Error('changed my mind')
  }

const test = base
  .extend('clock', () => new ManualClock(0))
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'chat-texts-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  .extend('open', ({ clock, directory }, { onCleanup }) => {
    let opened: Store | undefined
    onCleanup(() => opened?.close())
    return (): Store => {
      opened?.close()
      opened = new Store(openDataDirectory(directory), setImmediate, { clock, log: silentLog })
      return opened
    }
  })

describe('[CORE-23.12] the list of chats that is kept', () => {
  test('is the one that would be made anew, after any writes, deferred ones, rollbacks and starts', {
    timeout: 120_000,
  }, async ({ open, clock }) => {
    let store = open()
    let texts = keptTexts(store)
    const take = async (taken: Step): Promise<void> => {
      switch (taken.kind) {
        case 'write':
          return void (await store.write(taken.change, taken.durability))
        case 'failing': {
          const look = () => void (taken.looksInside && expect(textOf(texts)).toBe(madeAnew(store)))
          return await expect(store.write(failing(taken.change, look))).rejects.toThrow('changed my mind')
        }
        case 'once':
          return void (await store.write(once(taken.change), 'deferred'))
        case 'time passes':
          return clock.advance(clientLimits.deferredMs)
        case 'begin anew':
          store = open()
          texts = keptTexts(store)
      }
    }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
        for (const taken of steps) {
          await take(taken)
          expect(textOf(texts)).toBe(madeAnew(store))
        }
      }),
      { numRuns: 100 },
    )
  })

  test('is not kept for who asks once, and only up to its limit', async ({ open }) => {
    const store = open()
    const texts = new ChatTexts(store)
    const isKept = () => store.get("SELECT 1 FROM sqlite_temp_schema WHERE name LIKE 'chat_text%'") !== undefined
    const show = (id: string, title: string) =>
      store.write((database: Database) => {
        chats.insertChat(
          database,
          { id: id as ChatId, group_id: 'g' as GroupId, state: 'active', visible: 1, first_seen_ts: 1 },
          settingsOf(groups[0] as ChatId, ''),
        )
        database.run('UPDATE chat SET title = ? WHERE id = ?', title, id)
      })
    await show('one', 'short')
    expect(textOf(texts)).toBe(madeAnew(store))
    expect(isKept()).toBe(false)
    expect(textOf(texts)).toBe(madeAnew(store))
    expect(isKept()).toBe(true)
    await show('two', 'x'.repeat(clientLimits.chatTextsBytesMax))
    expect(textOf(texts)).toBe(madeAnew(store))
    expect(isKept()).toBe(false)
    await show('two', 'short again')
    expect(textOf(texts)).toBe(madeAnew(store))
    expect(isKept()).toBe(false)
  })
})
