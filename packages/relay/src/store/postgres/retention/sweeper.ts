// Lets one of the relays on the database sweep: a second one would find the same rows and only wait for the first.
import type { Postgres } from '../connection/database.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'

export class Sweeper {
  readonly #line: DedicatedConnection

  constructor(database: Postgres) {
    this.#line = database.line()
  }

  /** Returns undefined if another relay sweeps. If the connection is lost, so is the lock: two sweepers do no harm. */
  run<T>(sweep: () => Promise<T>): Promise<T | undefined> {
    return this.#line.use(async queries => {
      const lock = await queries.one<{ isOurs: boolean }>('SELECT pg_try_advisory_lock(5, 1) AS "isOurs"')
      if (!lock?.isOurs) return undefined
      try {
        return await sweep()
      } finally {
        await queries.rows('SELECT pg_advisory_unlock(5, 1)').catch(() => undefined)
      }
    })
  }
}
