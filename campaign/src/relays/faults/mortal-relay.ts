// A relay that is killed, stopped and cut off from its database, and is restarted when it could not start.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@postern/testkit'
import { RelayProcess } from '@postern/testkit/processes'
import { TcpLink } from '../../chaos/wire/tcp-link.ts'

const START_AGAIN_MS = 300
const LOOK_AGAIN_MS = 50

/** Rates are per address, and per day: everybody here has the same address. */
const UNBOUNDED = ['registrationsPerMinute', 'registrationsPerAddressPerHour', 'newcomersPerAddressMax']
const limits = [...UNBOUNDED, 'newPeoplePerDay'].flatMap(name => ['--limit', `${name}=100000`])

/** `logFile`: its output, in all its lives. */
type Place = {
  directory: string
  logFile: string
  databasePort: number
  database: string
  onCrash: (crash: string) => void
}

export class MortalRelay {
  readonly process: RelayProcess
  /** Its connection to the database. */
  readonly way: TcpLink
  /** During a long fault. */
  isTaken = false
  #isEnded = false

  private constructor(process: RelayProcess, way: TcpLink) {
    this.process = process
    this.way = way
  }

  static async start({ directory, logFile, databasePort, database, onCrash }: Place): Promise<MortalRelay> {
    const way = await TcpLink.start({ port: await freePort(), targetPort: databasePort })
    const address = new URL(database)
    address.port = String(way.port)
    const options = ['--database', address.href, ...limits]
    const process = new RelayProcess({ directory, port: await freePort() }, options)
    const relay = new MortalRelay(process, way)
    process.onLine = line => appendFileSync(logFile, `${line}\n`)
    process.onCrash = crash => {
      // Without its database it does not start, reports that and ends: a running one continues.
      if (process.isUp) onCrash(crash)
      else setTimeout(() => relay.startAgain(), START_AGAIN_MS)
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
    await this.way.stop()
  }
}
