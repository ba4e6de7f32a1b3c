// A relay's store in a separate process, as each of several relays has one, with the operations of a benchmark.
import { type AccountId, type GroupId, systemClock } from '@postern/protocol'
import { type RelayLimits, relayLimits } from '@postern/relay'
import type { Append, RelayStore } from '@postern/relay/store'
import { InProcessWake, openPostgresStore, openSqliteStore } from '../inside.ts'
import { serveParent, settingsFromParent } from '../processes/parent.ts'
import { sharedNowMs } from '../processes/shared-clock.ts'
import { appendFor, type Load } from './appending.ts'
import { Arrivals } from './arrivals.ts'
import { type KnownDevice, type LoginLoad, logIn, registerAll } from './log-in.ts'
import { type Reading, readPages, seqsOf } from './read-pages.ts'
import { Speaker } from './speaker.ts'
import { fillTalks, newAppend, type Talk } from './talks.ts'
import { appendUntilAccepted } from './until-accepted.ts'

export type StorePlace = { kind: 'sqlite'; directory: string } | { kind: 'postgres'; database: string }
export type StoreSettings = { place: StorePlace; limits?: Partial<RelayLimits> }
/** When it was sent, and its number in the group. */
export type Sent = { group: GroupId; seq: number; sentMs: number }

/** Nobody acknowledges here, and a few send as much as thousands would. */
const unbounded = {
  newPeoplePerDay: 1e6,
  newAccountBytesPerDayMax: 1e12,
  bytesPerDayMax: 1e12,
  mailboxBytesPerSenderMax: 1e12,
  mailboxEntriesPerSenderMax: 1e9,
  mailboxBytesMax: 1e12,
  mailboxEntriesMax: 1e9,
}

const { place, limits } = settingsFromParent<StoreSettings>()
const wake = new InProcessWake()
const store = await openStore()
const arrivals = new Arrivals(store, wake)
const fences = new Map<AccountId, Append['fence']>()
const speaker = new Speaker(store, ({ sender }) => fences.get(sender))
let talks: Talk[] = []

async function openStore(): Promise<RelayStore> {
  const options = { limits: relayLimits({ ...unbounded, ...limits }), wake, clock: systemClock }
  if (place.kind === 'sqlite') return openSqliteStore({ ...options, directory: place.directory })
  return await openPostgresStore(place.database, { ...options, directory: '' })
}

/** From now on they send here, each over a separate connection. */
async function speak(given: Talk[]): Promise<void> {
  talks = given
  for (const { sender } of given)
    fences.set(sender, await store.claimDevice({ device: sender, account: sender, serial: 0 }))
}

async function append(at: number): Promise<Sent> {
  const talk = talks[at % talks.length]
  if (!talk) throw new RangeError('nobody speaks here')
  const { group } = talk
  const sentMs = sharedNowMs()
  const seq = await appendUntilAccepted(store, { ...newAppend(talk), fence: fences.get(talk.sender) })
  return { group, seq, sentMs }
}

/** One at a fixed interval, whether or not the previous one is answered. */
async function appendSteadily({ count, everyMs }: { count: number; everyMs: number }): Promise<Sent[]> {
  const startedMs = sharedNowMs()
  const sent: Promise<Sent>[] = []
  for (let at = 0; at < count; at++) {
    const leftMs = startedMs + at * everyMs - sharedNowMs()
    if (leftMs > 0) await new Promise(resolve => setTimeout(resolve, leftMs))
    sent.push(append(at))
  }
  return await Promise.all(sent)
}

async function appendInTurn(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await append(at)
}

/** Unread entries are counted for their sender: in a mailbox that nobody reads, that takes longer and longer. */
async function acknowledgeAll(): Promise<void> {
  const read = async ({ listener }: Talk) =>
    await store.acknowledge(listener, { cursor: await store.mailboxHead(listener), mark: 0 })
  await Promise.all(talks.map(read))
}

serveParent({
  state: {},
  answers: {
    fill: (wanted: { members: number; groups: number }) => fillTalks(store, wanted),
    register: (known: KnownDevice[]) => registerAll(store, known),
    logIn: (load: LoginLoad) => logIn(store, load),
    speak,
    append: (load: Load) => appendFor(load, append),
    appendOne: append,
    appendInTurn,
    acknowledgeAll,
    appendSteadily,
    inMailboxes: () => store.flush(),
    follow: (accounts: AccountId[]) => arrivals.follow(accounts),
    arrivedMs: (sent: Sent) => arrivals.of(sent),
    read: (reading: Reading) => readPages(store, reading),
    seqsOf: (talk: Talk) => seqsOf(store, talk),
    beginSpeaking: () => speaker.begin(talks),
    longestPauseMs: () => speaker.longestPauseMs(),
    endSpeaking: () => speaker.end(),
  },
  stop: () => store.close(),
})
