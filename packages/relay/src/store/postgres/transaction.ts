// One transaction on one connection: committed when its work is done, else undone.
import type { ClientBase } from 'pg'
import { type Queries, queriesOn } from './queries.ts'
import { databaseFault, isAnswer } from './storage-error.ts'

/** `in-doubt`: the connection was lost while it was being committed, and nobody knows yet whether it was. */
export type Committed<T> = { kind: 'committed'; value: T } | { kind: 'in-doubt'; value: T; error: unknown }

export async function transact<T>(client: ClientBase, work: (tx: Queries) => Promise<T>): Promise<Committed<T>> {
  let value: T
  try {
    await client.query('BEGIN')
    value = await work(queriesOn(client))
  } catch (error) {
    const fault = databaseFault(error)
    // On a connection that is lost there is nothing left to undo, and it would be waited for in vain.
    if (fault.cause === undefined || isAnswer(fault.cause)) await client.query('ROLLBACK').catch(() => undefined)
    throw fault
  }
  try {
    await client.query('COMMIT')
    return { kind: 'committed', value }
  } catch (error) {
    return { kind: 'in-doubt', value, error: databaseFault(error) }
  }
}
