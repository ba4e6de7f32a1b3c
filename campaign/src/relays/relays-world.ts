// A database of three servers, a store of blobs, two relays with separate connections to them, and people of whom some
// send: the targets of faults.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountId } from '@postern/protocol'
import { freePort, type SeededRandom } from '@postern/testkit'
import { type BarePerson, newPerson } from '@postern/testkit/bare-client'
import { S3Server } from '@postern/testkit/s3'
import type { Finding } from '../chaos/check/finding.ts'
import { TcpLink } from '../chaos/wire/tcp-link.ts'
import { prepareEnding } from './faults/end-backends.ts'
import { removeDisks, startOnDisks } from './faults/fill-disk.ts'
import { MortalRelay } from './faults/mortal-relay.ts'
import type { Victims } from './faults/victims.ts'
import { Crowd } from './traffic/crowd.ts'
import { Hopper } from './traffic/hopper.ts'
import { inTurns, untilDone } from './traffic/in-turns.ts'
import { Line } from './traffic/line.ts'
import { type WorldSize, worldSizes } from './traffic/rooms.ts'
import { Uploads } from './traffic/uploads.ts'

export type RelaysWorld = Victims & {
  people: readonly BarePerson[]
  /** The people who send. */
  senders: readonly Hopper[]
  blobs: S3Server
}

/** `imports`: modules that relays load first. */
type Asked = {
  folder: string
  random: SeededRandom
  size: WorldSize
  imports: readonly string[]
  backWithinMs: number
  report: (finding: Finding) => void
}

const NAMES = ['berlin', 'oslo']

export async function startRelaysWorld(asked: Asked): Promise<RelaysWorld> {
  const { random, report, backWithinMs } = asked
  const { cluster, disks } = await startOnDisks()
  await prepareEnding(cluster.primary)
  const database = await cluster.createDatabase()
  const blobs = await S3Server.start()
  const blobsWay = await TcpLink.start({ port: await freePort(), targetPort: Number(new URL(blobs.url).port) })
  const onFault = (what: string) => report({ wrong: 'fault-of-ours', deed: 'process', what })
  const relays = await startRelays(asked, { cluster, database, blobs, blobsWay, onFault })
  const urls = relays.map(({ process }) => process.url)
  const size = worldSizes[asked.size]
  const people = await registerAll(size.people, urls)
  const hoppers = people.slice(0, size.crowd).map(person => new Hopper(person, { urls, random, onFault }))
  const senders = hoppers.slice(0, size.senders)
  const crowd = new Crowd({ senders, receivers: hoppers.slice(senders.length), backWithinMs })
  const victims = { relays, cluster, disks, database, crowd, blobsWay, uploads: new Uploads(), report, backWithinMs }
  return { ...victims, people, senders, blobs }
}

type Behind = Pick<RelaysWorld, 'cluster' | 'database' | 'blobs' | 'blobsWay'> & { onFault: (what: string) => void }

async function startRelays(
  { folder, imports }: Asked,
  { cluster, database, blobs, blobsWay, onFault }: Behind,
): Promise<MortalRelay[]> {
  const address = blobs.address().replace(blobs.url, blobsWay.url)
  const life = { env: blobs.environment, nodeFlags: imports.flatMap(each => ['--import', each]) }
  const relays: MortalRelay[] = []
  for (const name of NAMES) {
    const place = { directory: join(folder, name), logFile: join(folder, `${name}.log`), life }
    relays.push(await MortalRelay.start({ ...place, cluster, database, blobs: address, onCrash: onFault }))
  }
  for (const relay of relays) await relay.listening()
  return relays
}

async function registerAll(count: number, urls: readonly string[]): Promise<BarePerson[]> {
  const people = Array.from({ length: count }, () => newPerson())
  await inTurns(people, async (person, at) => {
    const dialled = { url: urls[at % urls.length] as string, person, number: 0 }
    const { line } = await untilDone(() => Line.dial(dialled, 'register'))
    line.end()
  })
  return people
}

export const idsOf = (people: readonly { id: AccountId }[]): AccountId[] => people.map(({ id }) => id)

/** The servers' last output is kept in the folder, next to the relays' logs. */
export async function endRelaysWorld(
  { cluster, disks, relays, blobs, blobsWay }: RelaysWorld,
  folder: string,
): Promise<void> {
  for (const relay of relays) await relay.end()
  for (const { port, said } of cluster.servers) writeFileSync(join(folder, `postgres-${port}.log`), said)
  await cluster[Symbol.asyncDispose]()
  removeDisks(disks)
  await blobsWay.stop()
  await blobs.stop()
}
