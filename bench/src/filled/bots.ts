// A relay and bots that are registered there. Their databases are filled while they do not run.
import { join } from 'node:path'
import { openDataDirectory } from '@postern/core/node'
import type { AccountId } from '@postern/protocol'
import type { Database } from '../inside.ts'
import { Child } from '../processes/child.ts'
import type { GatewaySettings, GatewayState } from '../processes/gateway.ts'
import type { RelaySettings } from '../processes/relay.ts'

export const TOKEN = 'bench-token'
/** Otherwise most of the filling time goes into pages that are written out and read again. */
const FILLING_CACHE_KIB = 512 * 1024

type Running = { port?: number; webhook?: { url: string; secret: string } }

export class Bots {
  readonly relay: Child<{ url: string }>
  readonly #directory: string

  private constructor(directory: string, relay: Child<{ url: string }>) {
    this.#directory = directory
    this.relay = relay
  }

  static async open(directory: string, limits: Omit<RelaySettings, 'directory'> = {}): Promise<Bots> {
    const settings: RelaySettings = { directory: join(directory, 'relay'), ...limits }
    return new Bots(directory, await Child.start(new URL('../processes/relay.ts', import.meta.url), settings))
  }

  /** Registers at its first start, and has nothing to catch up on at the next. */
  async register(name: string): Promise<void> {
    const gateway = await this.start(name)
    await gateway.ask('online')
    await gateway.stop()
  }

  start(name: string, { port = 0, ...running }: Running = {}): Promise<Child<GatewayState>> {
    const settings: GatewaySettings = {
      directory: this.directoryOf(name),
      relayUrl: this.relay.state.url,
      port,
      token: TOKEN,
      ...running,
    }
    return Child.start(new URL('../processes/gateway.ts', import.meta.url), settings)
  }

  directoryOf(name: string): string {
    return join(this.#directory, name)
  }

  fill<T>(name: string, work: (database: Database, own: AccountId) => T): T {
    return fillDirectory(this.directoryOf(name), work)
  }

  async close(): Promise<void> {
    await this.relay.stop()
  }
}

/** In one transaction. The account has been started before. */
export function fillDirectory<T>(directory: string, work: (database: Database, own: AccountId) => T): T {
  const database = openDataDirectory(directory)
  try {
    database.exec(`PRAGMA cache_size = -${FILLING_CACHE_KIB}`)
    const own = database.get<{ id: AccountId }>('SELECT id FROM account')
    if (!own) throw new Error(`no client was ever started in ${directory}`)
    database.exec('BEGIN IMMEDIATE')
    const result = work(database, own.id)
    database.exec('COMMIT')
    return result
  } finally {
    database.close()
  }
}
