// Many people in one process, each with a separate connection to a relay, or to a server that does nothing.
import { once } from 'node:events'
import type { AccountId } from '@postern/protocol'
import { WebSocket } from 'ws'
import { newAccount } from '../appends/people.ts'
import { WireClient } from '../appends/wire-client.ts'
import { serveParent, settingsFromParent } from '../processes/parent.ts'

export type CrowdSettings = { url: string; kind: 'relay' | 'bare' }

/** Concurrent logins: a relay accepts a limited number of connections that have not logged in. */
const AT_ONCE = 50
/** As core does: entries are acknowledged together, soon. */
const ACKNOWLEDGE_AFTER_MS = 20

const { url, kind } = settingsFromParent<CrowdSettings>()
const closers: (() => void)[] = []
const unacknowledged = new Set<WireClient>()
let delivered = 0
let reached = Promise.withResolvers<void>()

const acknowledgeAll = (): void => {
  for (const client of unacknowledged) client.acknowledge()
  unacknowledged.clear()
}

async function openOne(): Promise<AccountId> {
  const account = newAccount()
  const onEntries = (count: number): void => {
    delivered += count
    if (unacknowledged.size === 0) setTimeout(acknowledgeAll, ACKNOWLEDGE_AFTER_MS)
    unacknowledged.add(client)
    reached.resolve()
  }
  const client = await WireClient.open(url, account, { intent: 'register', onEntries })
  await client.follow()
  closers.push(() => client.close())
  return account.id
}

async function openBare(): Promise<AccountId> {
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false })
  await once(socket, 'open')
  closers.push(() => socket.terminate())
  return newAccount().id
}

async function openMany(count: number): Promise<AccountId[]> {
  const ids: AccountId[] = []
  const open = kind === 'relay' ? openOne : openBare
  let begun = 0
  const worker = async () => {
    while (begun++ < count) ids.push(await open())
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker))
  return ids
}

/** Until this many entries have arrived since the start. */
async function untilDelivered(count: number): Promise<void> {
  for (;;) {
    if (delivered >= count) return
    reached = Promise.withResolvers()
    await reached.promise
  }
}

function closeAll(): void {
  for (const close of closers) close()
}

serveParent({ state: undefined, answers: { open: openMany, delivered: untilDelivered }, stop: closeAll })
