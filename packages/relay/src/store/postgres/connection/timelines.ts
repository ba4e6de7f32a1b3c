// Remembers the timeline of the database cluster. Each promotion of a standby begins a higher one. A server on a lower
// timeline was the primary before a failover, and the cluster loses what that server accepts now.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, logFault, systemCodeOf } from '@postern/protocol'
import type { Client } from 'pg'
import { DATABASE_TIMELINE_NAME } from '../../claim-directory.ts'

/** `cluster`: the server's own number, which its copies share. One that was restored from a dump has another. */
type ClusterTimeline = { cluster: string; timeline: number }

const ASK = `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS cluster,
  ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer AS timeline`

/** Managed services may forbid these functions. Such services fence off their old primaries themselves. */
const UNASKABLE = /^(42501|42883|0A000)$/

export class Timelines {
  readonly #path: string
  readonly #log: Log | undefined
  #seen: ClusterTimeline | undefined

  /** `directory`: where the highest one is stored for the next start. Without it, only this process knows it. */
  constructor(directory: string, log: Log | undefined) {
    this.#path = directory && join(directory, DATABASE_TIMELINE_NAME)
    this.#log = log
    this.#seen = this.#path ? read(this.#path) : undefined
  }

  /** `risen`: the server written to before is no longer the primary. `behind`: this server is not the primary. */
  async compare(client: Client): Promise<{ kind: 'same' | 'risen' } | { kind: 'behind'; why: string }> {
    const found = await ask(client)
    const seen = this.#seen
    if (!found) return { kind: 'same' }
    if (seen?.cluster === found.cluster && found.timeline === seen.timeline) return { kind: 'same' }
    if (seen?.cluster === found.cluster && found.timeline < seen.timeline) {
      const why = `the server is on timeline ${found.timeline} and this relay has written to timeline ${seen.timeline}`
      return { kind: 'behind', why: `${why}: it was the primary before a failover` }
    }
    this.#seen = found
    this.#keep(found)
    return { kind: seen ? 'risen' : 'same' }
  }

  /** A relay whose own disk is full continues to serve: it remembers the timeline until it is restarted. */
  #keep(found: ClusterTimeline): void {
    if (!this.#path) return
    try {
      const file = openSync(`${this.#path}.new`, 'w', 0o600)
      try {
        writeSync(file, `${found.cluster} ${found.timeline}\n`)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(`${this.#path}.new`, this.#path)
    } catch (error) {
      const what = 'timeline of the database not stored; the relay remembers it until it is restarted'
      if (this.#log) logFault(error, { what, log: this.#log })
    }
  }
}

async function ask(client: Client): Promise<ClusterTimeline | undefined> {
  try {
    return (await client.query<ClusterTimeline>(ASK)).rows[0]
  } catch (error) {
    if (UNASKABLE.test(systemCodeOf(error))) return undefined
    throw error
  }
}

function read(path: string): ClusterTimeline | undefined {
  try {
    const [, cluster, timeline] = /^(\d+) (\d+)\n$/.exec(readFileSync(path, 'utf8')) ?? []
    return cluster === undefined ? undefined : { cluster, timeline: Number(timeline) }
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
