// A relay that pushes to a push service of the test, and people whose devices subscribe there.
import { setTimeout as pause } from 'node:timers/promises'
import { type GroupId, pushLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { type PushBrowser, type PushContent, PushService } from '@postern/testkit/push-service'
import { expect, onTestFinished } from 'vitest'
import type { Relay, RelayOptions } from '../src/index.ts'
import { arrive, type Connected, chatOf, testRelay } from './relay-fixture.ts'
import { messageEnvelope, TestClient } from './test-client.ts'

export async function pushService(): Promise<PushService> {
  const service = await PushService.start()
  onTestFinished(() => service.close())
  return service
}

export type PushWorld = { relay: Relay; service: PushService; clock: ManualClock }

export async function pushWorld(options: Partial<RelayOptions> = {}): Promise<PushWorld> {
  const clock = new ManualClock()
  const service = await pushService()
  const push = { hosts: [service.origin], random: () => 1, ...(options.push === 'off' ? {} : options.push) }
  return { relay: await testRelay({ clock, ...options, push }), service, clock }
}

/**
 * Time passes only where the pusher waits: for a device that has just left, for a mailbox to be filled, and up to
 * `dueMs`, once something is to be done exactly then.
 */
export async function passing<T>({ clock }: Pick<PushWorld, 'clock'>, work: Promise<T>, dueMs?: number): Promise<T> {
  const state = { isOver: false }
  const over = (): void => {
    state.isOver = true
  }
  work.then(over, over)
  for (await pause(1); !state.isOver; await pause(1)) {
    const { lookAgainMs, awayAfterMs, leadEveryMs } = pushLimits
    // The relay of the test before may hold the lead for a moment.
    const waits = [lookAgainMs, awayAfterMs, leadEveryMs].flatMap(each => clock.untilTimerOf(each) ?? [])
    const dueInMs = (dueMs ?? -1) - clock.monotonicMs()
    const ms = Math.min(...waits, ...(clock.isAwaited(dueInMs) ? [dueInMs] : []))
    if (ms > 0 && Number.isFinite(ms)) clock.advance(ms)
  }
  return await work
}

/** When the next push of a chat may follow, if the last one has just arrived. */
export const afterCollapse = ({ clock }: Pick<PushWorld, 'clock'>): number =>
  clock.monotonicMs() + pushLimits.collapseMs

export type AwayReader = { reader: Connected; browser: PushBrowser }

/** Subscribes and disconnects. */
export async function goAway(service: PushService, reader: Connected, muted: GroupId[] = []): Promise<AwayReader> {
  const browser = service.subscribe()
  // On PostgreSQL the welcome to a chat is in its mailbox a moment later, and would be pushed.
  await reader.call('mailboxEnd', {})
  await reader.call('setPush', { ...browser.subscription, muted })
  await reader.close()
  return { reader, browser }
}

/** Alice in a chat with Bob, who subscribed and left. */
export async function chatWithAway(world: PushWorld) {
  const [alice, bob] = [await arrive(world.relay), await arrive(world.relay)]
  const group = await chatOf(alice, bob)
  return { alice, group, ...(await goAway(world.service, bob)) }
}

/**
 * Reads this many entries, acknowledges them and leaves. The relay may store an acknowledgement after the reader has
 * left, and a look before that finds the entries unread.
 */
export async function readAndLeave({ relay }: Pick<PushWorld, 'relay'>, reader: Connected, count: number) {
  await reader.call('follow', { after: 0 })
  await reader.delivered(count)
  const read = reader.lastCursor
  reader.acknowledge(read)
  await reader.close()
  await expect.poll(() => storedCursor(relay, reader)).toBe(read)
}

async function storedCursor(relay: Relay, { person }: Connected): Promise<number> {
  const client = new TestClient(relay.url)
  const { cursor } = await client.authenticate(person, 'login')
  await client.close()
  return cursor
}

type Said = { epoch?: number; attention?: 'none' | 'message' | 'mention'; preview?: Uint8Array | undefined }

export function say(sender: Connected, group: GroupId, said: Said = {}) {
  const { epoch = 1, attention = 'message', preview } = said
  const payload = messageEnvelope({ group, epoch })
  return sender.call('appendMarked', { payload, to: undefined, leave: false, attention, preview })
}

type Awaited = { count: number; dueMs?: number }

/** The browser's pushes, when this many have arrived. */
export async function pushesOf(
  world: PushWorld,
  browser: PushBrowser,
  awaited: number | Awaited,
): Promise<PushContent[]> {
  const { count, dueMs } = typeof awaited === 'number' ? { count: awaited, dueMs: undefined } : awaited
  const received = await passing(world, world.service.receivedBy(browser, count), dueMs)
  return received.map(push => browser.open(push))
}
