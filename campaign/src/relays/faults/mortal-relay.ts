// A relay that is killed, stopped and cut off from its database, and is restarted when it could not start.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@postern/testkit'
import type { PostgresCluster } from '@postern/testkit/postgres-cluster'
import { type LifeSettings, RelayProcess } from '@postern/testkit/processes'
import { TcpLink } from '../../chaos/wire/tcp-link.ts'

const START_AGAIN_MS = 300
const LOOK_AGAIN_MS = 50

/** Rates are per address, and per day: everybody here has the same address. */
const UNBOUNDED = ['registrationsPerMinute', 'registrationsPerAddressPerHour', 'newcomersPerAddressMax']
/** Few logins at a time: in a storm most clients get an appointment. */
const limits = [
  ...[...UNBOUNDED, 'newPeoplePerDay', 'connectionsPerAddressMax'].map(name => `${name}=100000`),
  'loginsInFlightMax=50',
].flatMap(limit => ['--limit', limit])

/** `logFile`: its output, in all its lives. `blobs`: the address of their store. */
type Place = {
  directory: string
  logFile: string
  cluster: PostgresCluster
  database: string
  blobs: string
  life: LifeSettings
  onCrash: (crash: string) => void
}

export class MortalRelay {
  readonly process: RelayProcess
  /** Its connections to each server of the database. */
  readonly ways: readonly TcpLink[]
  /** During a long fault. */
  isTaken = false
  /** Its database is replaced: it has to end. */
  mustEnd = false
  #isEnded = false

  private constructor(process: RelayProcess, ways: readonly TcpLink[]) {
    this.process = process
    this.ways = ways
  }

  static async start({ directory, logFile, cluster, database, blobs, life, onCrash }: Place): Promise<MortalRelay> {
    const ways: TcpLink[] = []
    let address = database
    for (const { port: targetPort } of cluster.servers) {
      const way = await TcpLink.start({ port: await freePort(), targetPort })
      address = address.replace(`:${targetPort}`, `:${way.port}`)
      ways.push(way)
    }
    const options = ['--database', address, '--blobs', blobs, ...limits]
    const process = new RelayProcess({ directory, port: await freePort() }, options)
    process.life = life
    const relay = new MortalRelay(process, ways)
    process.onLine = line => appendFileSync(logFile, `${line}\n`)
    process.onCrash = crash => {
      // Without its database it does not start, reports that and ends: a running one continues.
      if (process.isUp && !relay.mustEnd) onCrash(crash)
      else setTimeout(() => relay.startAgain(), START_AGAIN_MS)
      relay.mustEnd = false
    }
    process.start()
    return relay
  }

  startAgain(): void {
    if (!this.#isEnded && this.process.pid === undefined) this.process.start()
  }

  /** In any of its lives: one that found no database has ended before it was up. */
  async listening(): Promise<void> {
    while (!this.process.isUp) await pause(LOOK_AGAIN_MS)
  }

  async kill(): Promise<void> {
    await this.process.kill()
  }

  async end(): Promise<void> {
    this.#isEnded = true
    this.process.letGo()
    await this.process.kill()
    for (const way of this.ways) await way.stop()
  }
}
