// After the last fault: waits until everybody shows the same and nobody has anything to do, and gathers what is there.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '@postern/bot-api/objects'
import type { Seen } from './check/check-changes.ts'
import type { List } from './check/check-lists.ts'
import { tagIn } from './check/deeds.ts'
import type { Finding } from './check/finding.ts'
import type { Book } from './traffic/book.ts'
import type { BotDoer, Doer } from './traffic/doers.ts'
import { closedReports } from './traffic/polls.ts'
import type { Cast, Room, Rooms } from './traffic/rooms.ts'
import type { SentFile } from './traffic/talk.ts'
import type { Traffic } from './traffic.ts'

const SETTLE_WITHIN_MS = 150_000
const LOOK_EVERY_MS = 1_000
const FILES_FETCHED = 12

export type Shown = { room: Room; doer: Doer; messages: Message[] }
type Scene = { cast: Cast; rooms: Rooms; traffic: Traffic; book: Book }

/** Everything that everybody shows at the end. */
export async function settle(scene: Scene): Promise<Shown[]> {
  const endMs = Date.now() + SETTLE_WITHIN_MS
  let before = ''
  for (;;) {
    await pause(LOOK_EVERY_MS)
    const shown = await showAll(scene.rooms).catch(() => [])
    const waits = await waiting(scene, shown)
    const now = JSON.stringify(shown.map(({ messages }) => messages.map(({ id }) => id)))
    if (waits === undefined && now === before) return shown
    before = now
    if (Date.now() < endMs) continue
    scene.book.find({
      wrong: 'unsettled',
      deed: 'settling',
      what: `after ${SETTLE_WITHIN_MS / 1000} s ${waits ?? 'lists still change'}`,
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

/** What is still to come; undefined when nothing is. */
async function waiting({ cast, traffic }: Scene, shown: readonly Shown[]): Promise<string | undefined> {
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
  return open.length > 0 ? `${open.length} polls are not reported closed` : undefined
}

export const listsOf = (shown: readonly Shown[]): List[] =>
  shown.map(({ room, doer, messages }) => ({
    party: doer.name,
    room: room.name,
    messages: messages.map(message => ({ id: message.id, tag: tagIn(message.text ?? message.poll?.question) })),
  }))

/** Words and reactions as everybody shows them: only of messages that are there. */
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

/** The newest files come down to everybody as they went up. */
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
