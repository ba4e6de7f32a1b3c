// The rooms of a campaign: their members, who must have every message, and each member's id of the room.
import { setTimeout as pause } from 'node:timers/promises'
import type { BotDoer, Doer, PersonDoer } from './doers.ts'

export type Room = {
  name: string
  /** They must have everything; others may come and go. */
  members: readonly Doer[]
  chatOf: (doer: Doer) => string
  /** Messages disappear shortly after they were read. */
  isBrief?: true
}

export type Cast = {
  alice: PersonDoer
  bob: PersonDoer
  carol: PersonDoer
  dave: PersonDoer
  poller: BotDoer
  pusher: BotDoer
}
export type Rooms = { lasting: Room[]; brief: Room; moving: Room; request: Room; all: Room }

const BRIEF_MS = 2_000
const TRIES_MAX = 100

export async function openRooms(cast: Cast): Promise<Rooms> {
  const { alice, bob, carol, poller, pusher } = cast
  for (const bot of [poller, pusher]) {
    const { invite_url } = await insist(() => bot.call<{ invite_url: string }>({ method: 'GET', path: 'me' }))
    for (const person of [alice, bob, carol]) await insist(() => person.do('open', { invite: invite_url }))
  }
  await insist(() => alice.do('open', { account: bob.id }))
  const all = await makeGroup(alice, { name: 'all', members: [bob, carol, poller, pusher] })
  const moving = await makeGroup(alice, { name: 'moving', members: [bob, poller] })
  const brief = await makeGroup(alice, { name: 'brief', members: [bob, poller] })
  await insist(() => alice.do('timer', { chat: brief.chatOf(alice), ms: BRIEF_MS }))
  const privates = [poller, pusher].flatMap(bot => [alice, bob, carol].map(person => privateRoom(person, bot)))
  const request = privateRoom(cast.dave, pusher)
  const rooms = { lasting: [all, moving, privateRoom(alice, bob), ...privates], moving, request, all }
  return { ...rooms, brief: { ...brief, isBrief: true } }
}

async function makeGroup(maker: PersonDoer, { name, members }: { name: string; members: Doer[] }): Promise<Room> {
  const made = await insist(() => maker.do<{ id: string }>('group', { name, members: members.map(({ id }) => id) }))
  const room = { name, members: [maker, ...members], chatOf: () => made.id }
  for (const member of members) await shown(member, room)
  return room
}

/** The id of a private chat is the other's account id. */
const privateRoom = (one: Doer, other: Doer): Room => ({
  name: `${one.name}+${other.name}`,
  members: [one, other],
  chatOf: doer => (doer === one ? other.id : one.id),
})

/** In these first steps there are no faults, but a connection may not be ready yet. */
async function insist<Ok>(act: () => Promise<{ ok?: Ok; error?: string }>): Promise<Ok> {
  for (let tries = 1; ; tries++) {
    const { ok, error } = await act()
    if (ok !== undefined) return ok
    if (tries >= TRIES_MAX) throw new Error(`the rooms could not be opened: ${error}`)
    await pause(100)
  }
}

async function shown(doer: Doer, room: Room): Promise<void> {
  const chat = room.chatOf(doer)
  await insist(() =>
    doer.list(chat).then(
      () => ({ ok: true }),
      (error: unknown) => ({ error: String(error) }),
    ),
  )
}
