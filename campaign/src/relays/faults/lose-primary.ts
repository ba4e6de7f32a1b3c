// The primary dies or falls silent, a standby takes over, and the old primary comes back: no relay may use it any more.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '@postern/testkit/postgres'
import { relayTraffic } from '../traffic/pace.ts'
import type { MortalRelay } from './mortal-relay.ts'
import type { RelayFault } from './schedule.ts'
import type { Victims } from './victims.ts'

type Lost = Extract<RelayFault, { kind: 'primary-lost' }>

const ASK_TIMELINE = "SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer"

export async function losePrimary({ how, forMs, backMs }: Lost, victims: Victims): Promise<void> {
  const { cluster, relays } = victims
  const former = cluster.primary
  if (how === 'killed') await former.kill()
  else former.hold()
  await pause(forMs)
  await cluster.promote()
  // A relay that has not reached the new primary cannot tell the two apart: until then the old one has to be fenced.
  if (await haveReached(victims)) await comeBack(former, how)
  for (const { isTaken, ways } of relays) if (!isTaken) for (const way of ways) way.cut()
  await pause(backMs)
  await cluster.rejoin(former)
}

async function comeBack(former: PostgresServer, how: Lost['how']): Promise<void> {
  if (how === 'killed') await former.start()
  else former.letGo()
}

/** False when a relay is in a long fault. */
async function haveReached({ cluster, relays, backWithinMs, report }: Victims): Promise<boolean> {
  const timeline = Number(await cluster.primary.sql(ASK_TIMELINE))
  const late = () => relays.filter(relay => !relay.isTaken && timelineOf(relay) < timeline)
  for (let leftMs = backWithinMs; late().length > 0; leftMs -= relayTraffic.tryAgainMs) {
    if (leftMs <= 0) {
      for (const { process } of late())
        report({ wrong: 'unsettled', deed: 'relay', what: `${process.directory} has not reached the new primary` })
      return false
    }
    await pause(relayTraffic.tryAgainMs)
  }
  return relays.every(({ isTaken }) => !isTaken)
}

/** The highest that it has used, as it remembers it for its next start. */
function timelineOf({ process }: MortalRelay): number {
  const [, timeline] = readFileSync(join(process.directory, 'database-timeline'), 'utf8').split(' ')
  return Number(timeline)
}
