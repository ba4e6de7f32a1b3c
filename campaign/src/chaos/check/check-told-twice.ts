// Every client reports each step and each event at most once: a bot under one id, a person in one life of the process.
import type { Finding } from './finding.ts'
import { type Happened, type Hearer, stepsIn, type ToldEvent } from './told-event.ts'

type Thing = { thing: string; deed: string }

/** After a kill a person's last events come again, so lives are counted separately. A life that has ended has no number. */
export function checkToldTwice(hearer: Hearer, happened: Happened): Finding[] {
  const { party, isBot, events } = hearer
  const timesOf = timesOfSteps(hearer, happened)
  const counts = new Map<string, Thing & { count: number }>()
  for (const event of events) {
    if (!isBot && event.life === undefined) continue
    for (const { thing, deed } of [...stepsOf(event), ...eventsOf(event, hearer, happened)]) {
      const key = `${event.life} ${thing}`
      counts.set(key, { thing, deed, count: (counts.get(key)?.count ?? 0) + 1 })
    }
  }
  return [...counts.values()].flatMap(({ thing, deed, count }): Finding[] => {
    const max = deed === 'step' ? timesOf.get(thing) : { kind: deed, count: 1 }
    if (!max || count <= max.count) return []
    return [{ wrong: 'told-twice', deed: max.kind, what: `${thing}: ${count} times to ${party}` }]
  })
}

const stepOf = (what: string, value: string) => `${what} became ${JSON.stringify(value)}`

const stepsOf = (event: ToldEvent): Thing[] =>
  stepsIn(event).map(([what, value]) => ({ thing: stepOf(what, value), deed: 'step' }))

/**
 * How often each step happened or may have happened. A deleted message loses its words in waiting updates: all look
 * alike then.
 */
function timesOfSteps(
  { party, chats }: Hearer,
  { values, gone }: Happened,
): Map<string, { kind: string; count: number }> {
  const times = new Map<string, { kind: string; count: number }>()
  for (const { kind, what, where, changes } of values) {
    if (!where || where.by === party || !chats.has(where.room)) continue
    if (kind !== 'delete' && gone.has(where.tag ?? '')) continue
    for (const { value, outcome } of changes) {
      if (outcome === 'refused') continue
      const step = stepOf(what, value)
      times.set(step, { kind, count: (times.get(step)?.count ?? 0) + 1 })
    }
  }
  return times
}

/**
 * `checkUpdates` checks the messages of a bot, and `checkPresses` its presses. A guest who joins again receives and
 * confirms again.
 */
function eventsOf(event: ToldEvent, { isBot, chats }: Hearer, { accounts }: Happened): Thing[] {
  const { type, message, receipt, toast, expired = [], notice, chat_id: chat } = event
  const room = [...chats].find(([, id]) => id === chat)?.[0]
  const members = new Set(accounts.get(room ?? '')?.values())
  const things = expired.map(id => ({ thing: `the end of ${id}`, deed: 'brief' }))
  if (type === 'message' && message && !isBot) things.push({ thing: `message ${message.id}`, deed: 'message' })
  if (receipt && members.has(receipt.from.id))
    things.push({ thing: `${receipt.status} ${receipt.message_id} of ${receipt.from.id}`, deed: 'receipt' })
  if (toast) things.push({ thing: `the answer to press ${toast.press_id}`, deed: 'answer' })
  if (notice?.code === 'created' && room !== undefined) things.push({ thing: `the making of ${chat}`, deed: 'notice' })
  return things
}
