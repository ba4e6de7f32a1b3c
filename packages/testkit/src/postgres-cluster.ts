// A primary and two standbys; at least one standby has everything that is committed: the database of a relay that may
// lose a machine.
import { setTimeout as pause } from 'node:timers/promises'
import { PostgresServer } from './postgres.ts'

const NAMES = ['berlin', 'oslo', 'riga'] as const
const LOOK_AGAIN_MS = 10

/** Each waits for one of the others, whichever is the primary. */
const settingsOf = (name: string): Record<string, string> => ({
  cluster_name: name,
  synchronous_standby_names: `ANY 1 (${NAMES.join(', ')})`,
  wal_keep_size: '256MB',
})

export class PostgresCluster {
  readonly servers: readonly PostgresServer[]
  #primary: PostgresServer

  private constructor(primary: PostgresServer, standbys: readonly PostgresServer[]) {
    this.#primary = primary
    this.servers = [primary, ...standbys]
  }

  /** `folderOf`: a folder for the directory of each server. */
  static async start(folderOf: () => string | undefined = () => undefined): Promise<PostgresCluster> {
    const [first, ...others] = NAMES
    const primary = await PostgresServer.start(settingsOf(first), { folder: folderOf() })
    const standbys: PostgresServer[] = []
    for (const name of others) standbys.push(await primary.startStandby(settingsOf(name), { folder: folderOf() }))
    return new PostgresCluster(primary, standbys)
  }

  get primary(): PostgresServer {
    return this.#primary
  }

  /** Returns the address of an empty one that names all servers. */
  async createDatabase(): Promise<string> {
    const url = new URL(await this.#primary.createDatabase())
    const hosts = this.servers.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return `postgres://${url.username}@${hosts}${url.pathname}?target_session_attrs=read-write`
  }

  /** The primary fails immediately and never returns; the standby with the most data replaces it. */
  async failOver(): Promise<void> {
    await this.#primary.kill()
    await this.promote()
  }

  /** Promotes the standby with the most data, whether the primary is dead or only silent. The others follow it. */
  async promote(): Promise<void> {
    const standbys = await this.#standbys()
    const received = await Promise.all(standbys.map(standby => receivedBy(standby)))
    const most = received.reduce((one, other) => (other > one ? other : one))
    const chosen = standbys[received.indexOf(most)] as PostgresServer
    for (const standby of standbys) if (standby !== chosen) standby.followInstead(chosen)
    await chosen.promote()
    this.#primary = chosen
  }

  async #standbys(): Promise<PostgresServer[]> {
    const others = this.servers.filter(server => server !== this.#primary && server.isRunning)
    // A primary that is only silent keeps its connections: nobody may confirm its writes from here on.
    for (const server of others) server.followInstead(undefined)
    // Everything in flight is received, and nothing more comes: only then can they be compared.
    for (const server of others)
      while ((await server.sql('SELECT count(*) FROM pg_stat_wal_receiver')) !== '0') await pause(LOOK_AGAIN_MS)
    return others
  }

  /** A former primary becomes a standby: what it alone has is lost. */
  async rejoin(former: PostgresServer): Promise<void> {
    await former.kill()
    await former.startAsCopyOf(this.#primary)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]()
  }
}

const receivedBy = async (standby: PostgresServer): Promise<bigint> =>
  BigInt(await standby.sql("SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')"))
