// After the last fault: waits until everybody shows the same and nobody has anything to do, and collects the final state.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '@postern/bot-api/objects'
import type { Seen } from './check/check-changes.ts'
import type { List } from './check/check-lists.ts'
import { checkKept, checkTold, type KeptMessages } from './check/check-told.ts'
import { type Said, tagIn } from './check/deeds.ts'
import type { Finding } from './check/finding.ts'
import type { OpenedChat, ToldEvent } from './check/told-event.ts'
import type { Book } from './traffic/book.ts'
import type { BotDoer, Doer } from './traffic/doers.ts'
import { closedReports } from './traffic/polls.ts'
import type { Cast, Room, Rooms } from './traffic/rooms.ts'
import { read, type SentFile } from './traffic/talk.ts'
import type { Traffic } from './traffic.ts'

const SETTLE_WITHIN_MS = 150_000
const LOOK_EVERY_MS = 1_000
const FILES_FETCHED = 12

export type Shown = { room: Room; doer: Doer; messages: Message[] }
export type Scene = { cast: Cast; rooms: Rooms; traffic: Traffic; book: Book }

/** Everything that everybody shows at the end. */
export async function settle(scene: Scene, withinMs = SETTLE_WITHIN_MS): Promise<Shown[]> {
  const endMs = Date.now() + withinMs
  let before = ''
  for (;;) {
    await pause(LOOK_EVERY_MS)
    const shown = await showAll(scene.rooms).catch(() => [])
    // Disappearing messages do so some time after they were read.
    await Promise.all(scene.rooms.brief.members.map(doer => read(doer, scene.rooms.brief)))
    const waits = await waiting(scene, shown)
    const now = JSON.stringify(shown.map(({ messages }) => messages.map(({ id }) => id)))
    if (waits === undefined && now === before) return shown
    before = now
    if (Date.now() < endMs) continue
    scene.book.find({
      wrong: 'unsettled',
      deed: 'settling',
      what: `after ${withinMs / 1000} s ${waits ?? 'lists still change'}`,
    })
    return shown
  }
}

async function showAll({ lasting, request }: Rooms): Promise<Shown[]> {
  const places = [...lasting, request].flatMap(room => room.members.map(doer => ({ room, doer })))
  return await Promise.all(
    places.map(async ({ room, doer }) => ({ room, doer, messages: await doer.list(room.chatOf(doer)) })),
  )
}

/** The reason to keep waiting; undefined when there is none. */
async function waiting(scene: Scene, shown: readonly Shown[]): Promise<string | undefined> {
  const { cast, traffic } = scene
  if (shown.length === 0) return 'not everybody can be asked'
  for (const { room } of shown) {
    const lists = shown.filter(one => one.room === room).map(({ messages }) => messages.map(({ id }) => id).join())
    if (new Set(lists).size > 1) return `not everybody shows the same in ${room.name}`
  }
  if (!traffic.operator.isIdle) return 'updates wait to be polled'
  const { ok } = await cast.pusher.call<{ pending: number }>({ method: 'GET', path: 'webhook' })
  if (ok?.pending !== 0) return `${ok?.pending} updates wait for the webhook`
  const reports = [
    ...closedReports(cast.poller, traffic.operator.updates),
    ...closedReports(cast.pusher, traffic.receiver.updates),
  ]
  const open = traffic.polls.asked.filter(({ id }) => !reports.some(report => report.id === id))
  if (open.length > 0) return `${open.length} polls are not reported closed`
  const untold = toldFindings(scene, shown).length
  if (untold > 0) return `${untold} events are still to come`
  return checkKept(await keptOf(scene.rooms.brief)).length > 0
    ? 'not everything that has to disappear is gone'
    : undefined
}

export async function keptOf(room: Room): Promise<KeptMessages[]> {
  return await Promise.all(
    room.members.map(async doer => {
      const messages = await doer.list(room.chatOf(doer)).catch(() => [])
      return { party: doer.name, room: room.name, ids: messages.map(({ id }) => id) }
    }),
  )
}

/** Compares the actions of others with the events that each party received. */
export function toldFindings({ cast, rooms, traffic, book }: Scene, shown: readonly Shown[]): Finding[] {
  const all = [...rooms.lasting, rooms.brief, rooms.request]
  const accounts = new Map(all.map(room => [room.name, new Map(room.members.map(({ name, id }) => [name, id]))]))
  const polls = traffic.polls.asked.map(({ tag, id, by, room }) => ({ tag, id, by, room: room.name }))
  const said = identified(book.said, listsOf(shown))
  const happened = { said, polls, values: [...book.values.values()], gone: book.gone, accounts }
  const eventsOf = (doer: Doer): readonly ToldEvent[] => {
    if (doer.kind === 'person') return doer.events
    return (doer === cast.poller ? traffic.operator : traffic.receiver).updates
  }
  return Object.values(cast).flatMap(doer => {
    const own = all.filter(room => room.members.includes(doer))
    const chats = new Map(own.map(room => [room.name, room.chatOf(doer)]))
    const opened = own.filter(({ members }) => members[0] !== doer).map(room => openedFor(doer, room))
    return checkTold({ party: doer.name, isBot: doer.kind === 'bot', chats, opened, events: eventsOf(doer) }, happened)
  })
}

/** All members of a group know it under one id. */
function openedFor(doer: Doer, room: Room): OpenedChat {
  const isGroup = room.members.every(member => room.chatOf(member) === room.chatOf(doer))
  const notices = [...(isGroup ? ['created'] : []), ...(room.isBrief ? ['timer'] : [])]
  return { room: room.name, chat: room.chatOf(doer), notices }
}

/** The answer to a hook's post names no message: its id is the one that everybody shows under its tag. */
export function identified(said: readonly Said[], lists: readonly List[]): Said[] {
  const ids = new Map(lists.flatMap(({ messages }) => messages.map(({ tag, id }) => [tag, id])))
  return said.map(one => {
    const id = one.id ?? ids.get(one.tag)
    return id === undefined ? one : { ...one, id }
  })
}

export const listsOf = (shown: readonly Shown[]): List[] =>
  shown.map(({ room, doer, messages }) => ({
    party: doer.name,
    room: room.name,
    messages: messages.map(message => ({ id: message.id, tag: tagIn(message.text ?? message.poll?.question) })),
  }))

/** Words and reactions as everybody shows them: only for messages that exist. */
export function changesShown(book: Book, shown: readonly Shown[]): Seen[] {
  const byId: ReadonlyMap<string, { party: string; message: Message }[]> = Map.groupBy(
    shown.flatMap(({ doer, messages }) => messages.map(message => ({ party: doer.name, message }))),
    ({ message }) => message.id,
  )
  return [...book.values.values()].flatMap((changed): Seen[] => {
    const [, what, account, id] = /^(words|presence|reaction) of (?:(\S+) to )?(\S+)$/.exec(changed.what) ?? []
    const places = byId.get(id ?? '') ?? []
    if (what === 'presence' && places.length > 0) return [{ ...changed, shown: new Map([['everybody', 'there']]) }]
    if (what !== 'words' && what !== 'reaction') return []
    const valueIn = ({ text, reactions }: Message) =>
      what === 'words' ? (text ?? '') : (reactions?.find(({ from }) => from.id === account)?.emoji ?? '')
    return [{ ...changed, shown: new Map(places.map(({ party, message }) => [party, valueIn(message)])) }]
  })
}

/** Everybody downloads the newest files with the uploaded bytes. */
export async function checkFiles(
  files: readonly SentFile[],
  { book, folder }: { book: Book; folder: string },
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const file of files.filter(({ tag }) => !book.gone.has(tag)).slice(-FILES_FETCHED))
    for (const doer of file.room.members) {
      const sha256 = await fetched(doer, file, folder)
      if (sha256 !== file.sha256)
        findings.push({
          wrong: 'lost',
          deed: 'file',
          what: `${file.tag} in ${file.room.name} came to ${doer.name} as ${sha256}`,
        })
    }
  return findings
}

async function fetched(doer: Doer, { id, room }: SentFile, folder: string): Promise<string> {
  const chat = room.chatOf(doer)
  if (doer.kind === 'bot') return await doer.download(`chats/${chat}/messages/${id}/file`)
  const path = join(folder, `${doer.name}-${id}`)
  const { ok, error } = await doer.do('download', { chat, message: id, path })
  return ok === undefined ? `nothing: ${error}` : createHash('sha256').update(readFileSync(path)).digest('hex')
}

export const botsOf = ({ poller, pusher }: Cast): BotDoer[] => [poller, pusher]
