// The actions of others are reported to every party that must learn of them: each step of a change, deletions,
// expiries, receipts, chats.
import { checkToldTwice } from './check-told-twice.ts'
import type { Change, Said } from './deeds.ts'
import type { Finding } from './finding.ts'
import { type Happened, type Hearer, stepsIn, type ToldEvent } from './told-event.ts'

export function checkTold(hearer: Hearer, happened: Happened): Finding[] {
  const events = inOrder(hearer.events)
  const owed = happened.said.filter(
    ({ room, outcome, id }) => hearer.chats.has(room) && outcome === 'acknowledged' && id,
  )
  return [
    ...checkSteps({ ...hearer, events }, happened),
    ...checkToldTwice({ ...hearer, events }, happened),
    ...checkExpired({ ...hearer, events }, owed),
    ...checkChats({ ...hearer, events }),
    ...checkClosed({ ...hearer, events }, happened),
    ...(hearer.isBot
      ? []
      : [...checkHeard({ ...hearer, events }, owed), ...checkReceipts({ ...hearer, events }, owed, happened)]),
  ]
}

/** Updates are repeated, and each counts once. */
function inOrder(events: readonly ToldEvent[]): ToldEvent[] {
  const byId = new Map<number, ToldEvent>()
  for (const event of events) if (event.id !== undefined && !byId.has(event.id)) byId.set(event.id, event)
  const numbered = [...byId.values()].toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0))
  return [...numbered, ...events.filter(({ id }) => id === undefined)]
}

/**
 * Every acknowledged step is reported, in the order of the steps; the last report may be the final value; no step is
 * invented.
 */
function checkSteps({ party, chats, events }: Hearer, { values, gone }: Happened): Finding[] {
  const told = new Map<string, string[]>()
  for (const event of events)
    for (const [what, value] of stepsIn(event)) told.set(what, [...(told.get(what) ?? []), value])
  return values.flatMap((changed): Finding[] => {
    const { kind, what, where } = changed
    const isGone = kind !== 'delete' && gone.has(where?.tag ?? '')
    if (!where || where.by === party || !chats.has(where.room) || isGone) return []
    const heard = told.get(what) ?? []
    const known = new Set([changed.first, ...changed.changes.map(({ value }) => value)])
    const missing = missingIn(owedSteps(changed), heard)
    const invented = heard.find(value => !known.has(value))
    const words = (value: string) => `${what} became ${JSON.stringify(value)}`
    return [
      ...(missing === undefined
        ? []
        : [{ wrong: 'untold' as const, deed: kind, what: `${words(missing)}: not told to ${party}` }]),
      ...(invented === undefined
        ? []
        : [{ wrong: 'invented' as const, deed: kind, what: `${party} was told that ${words(invented)}` }]),
    ]
  })
}

/** Steps that were acknowledged and certainly changed something. */
export function owedSteps({ first, changes }: { first: string; changes: readonly Change[] }): string[] {
  const owed: string[] = []
  let possible = [first]
  for (const { value, outcome } of changes) {
    if (outcome === 'doubtful') possible.push(value)
    if (outcome !== 'acknowledged') continue
    if (!possible.includes(value)) owed.push(value)
    possible = [value]
  }
  return owed
}

/** The first that is not reported after the previous ones. */
function missingIn(owed: readonly string[], told: readonly string[]): string | undefined {
  let at = 0
  for (const value of owed) {
    const found = told.indexOf(value, at)
    if (found < 0) return value
    at = found + 1
  }
  return undefined
}

const untold = (party: string, { kind, tag, by, id }: Said, what: string): Finding => ({
  wrong: 'untold',
  deed: kind,
  what: `${kind} ${tag} of ${by} (${id}): ${what} to ${party}`,
})

/** The expiry of a message is reported, also to its sender. */
function checkExpired({ party, events }: Hearer, owed: readonly Said[]): Finding[] {
  const expired = new Set(events.flatMap(event => event.expired ?? []))
  return owed
    .filter(({ kind, id = '' }) => kind === 'brief' && !expired.has(id))
    .map(one => untold(party, one, 'not told that it has disappeared'))
}

function checkHeard({ party, events }: Hearer, owed: readonly Said[]): Finding[] {
  const heard = new Set(events.flatMap(({ type, message }) => (type === 'message' && message ? [message.id] : [])))
  return owed.filter(({ by, id = '' }) => by !== party && !heard.has(id)).map(one => untold(party, one, 'no event'))
}

/** Each member's device confirms arrived messages, to their author alone. */
function checkReceipts({ party, events }: Hearer, owed: readonly Said[], { gone, accounts }: Happened): Finding[] {
  const confirmed = new Set(
    events.flatMap(({ receipt }) => (receipt ? [`${receipt.message_id} ${receipt.from.id}`] : [])),
  )
  return owed
    .filter(({ kind, by, tag }) => by === party && kind !== 'brief' && !gone.has(tag))
    .flatMap(one =>
      [...(accounts.get(one.room) ?? [])]
        .filter(([name, account]) => name !== party && !confirmed.has(`${one.id} ${account}`))
        .map(([name]) => ({ ...untold(party, one, `no receipt of ${name}`), deed: 'receipt' })),
    )
}

/** Each chat that another member created, with its notices. */
function checkChats({ party, opened, events }: Hearer): Finding[] {
  const told = new Set(events.map(({ type, chat_id, notice }) => `${notice?.code ?? type} ${chat_id}`))
  return opened.flatMap(({ room, chat, notices }) =>
    ['chat', ...notices]
      .filter(code => !told.has(`${code} ${chat}`))
      .map(code => ({
        wrong: 'untold',
        deed: code === 'chat' ? code : 'notice',
        what: `${code} of ${room}: not told to ${party}`,
      })),
  )
}

/** Every member learns that a poll is closed. `checkPolls` checks the reports to the asking bot, and the tally. */
function checkClosed({ party, chats, events }: Hearer, { polls }: Happened): Finding[] {
  const closed = new Set(
    events.flatMap(({ type, message }) => (type === 'poll' && message?.poll?.closed ? [message.id] : [])),
  )
  return polls
    .filter(({ room, by, id }) => chats.has(room) && by !== party && !closed.has(id))
    .map(({ tag, by }) => ({
      wrong: 'untold',
      deed: 'poll',
      what: `the end of poll ${tag} of ${by}: not told to ${party}`,
    }))
}

export type KeptMessages = { party: string; room: string; ids: readonly string[] }

/** A room whose messages disappear is empty at the end. */
export const checkKept = (kept: readonly KeptMessages[]): Finding[] =>
  kept.flatMap(({ party, room, ids }) =>
    ids.map(
      (id): Finding => ({ wrong: 'kept', deed: 'brief', what: `${id} in ${room} has not disappeared at ${party}` }),
    ),
  )
