// A message to a group whose members are all online: the relay's cost for each of them.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { groupIdFromBytes } from '@postern/protocol'
import { envelope, newAccount } from '../appends/people.ts'
import { WireClient } from '../appends/wire-client.ts'
import type { CrowdSettings } from '../connections/crowd.ts'
import { inTurn, median, ratePerSec } from '../figures.ts'
import { Child } from '../processes/child.ts'
import type { RelaySettings } from '../processes/relay.ts'
import type { Row } from '../table.ts'

const ROUNDS = 3
const AT_ONCE = 8
/** Members of a group, and messages per round. */
const sizes: [members: number, count: number][] = [
  [20, 500],
  [200, 80],
  [1000, 24],
]
/** Acknowledgements follow their messages: they are counted with them. */
const SETTLE_MS = 200

export async function measureFanOut(directory: string): Promise<Row[]> {
  const settings: RelaySettings = { directory: join(directory, 'fan-out'), newPeoplePerDay: 1e6 }
  const relay = await Child.start<{ url: string }>(new URL('../processes/relay.ts', import.meta.url), settings)
  const crowdSettings: CrowdSettings = { url: relay.state.url, kind: 'relay' }
  const crowd = await Child.start(new URL('../connections/crowd.ts', import.meta.url), crowdSettings)
  const ids = await crowd.ask<string[]>('open', 999)
  const sender = await WireClient.open(relay.state.url, newAccount(), { intent: 'register' })
  let delivered = 0
  const usPerRecipient = new Map(sizes.map(([members]) => [members, [] as number[]]))
  const sides = []
  for (const [members, count] of sizes) {
    const group = groupIdFromBytes(randomBytes(16))
    const others = members - 1
    await sender.call('createGroup', { group, continues: undefined })
    const add = ids.slice(0, others) as never[]
    const payload = envelope(group, { kind: 'commit', epoch: 0 })
    await sender.call('commit', { payload, add, remove: [], welcome: randomBytes(600) })
    delivered += others
    sides.push(async () => {
      const before = await relay.usage()
      await ratePerSec(() => sender.append(envelope(group, { kind: 'message', epoch: 1 })), { count, atOnce: AT_ONCE })
      delivered += others * count
      await crowd.ask('delivered', delivered)
      await wait(SETTLE_MS)
      const { cpuMs } = await relay.usage()
      usPerRecipient.get(members)?.push(((cpuMs - before.cpuMs) * 1000) / (count * others))
    })
  }
  await crowd.ask('delivered', delivered)
  await inTurn(1, sides)
  for (const measured of usPerRecipient.values()) measured.length = 0
  await inTurn(ROUNDS, sides)
  sender.close()
  await crowd.stop()
  await relay.stop()
  return [200, 1000].map(members => ({
    what: `relay, one of ${members} who are there gets a message`,
    ours: median(usPerRecipient.get(members) ?? []),
    unit: 'µs',
    peer: { what: 'one of 20', figure: median(usPerRecipient.get(20) ?? []), better: 'less' as const },
  }))
}
