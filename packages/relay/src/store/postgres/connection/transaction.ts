// One transaction on one connection: committed when its work is done, otherwise rolled back.
import { CodedError } from '@postern/protocol'
import type { ClientBase } from 'pg'
import { type PostgresStatement, type Queries, queriesOn } from './queries.ts'
import { databaseFault, isAnswer } from './storage-error.ts'

/** `in-doubt`: the connection was lost during the commit, and the outcome is not known yet. */
export type TransactionOutcome<T> = { kind: 'committed'; value: T } | { kind: 'in-doubt'; value: T; error: unknown }

export type Work<T> = (tx: Queries) => Promise<T>
/** Statements to send together with the commit, when the work is done. */
export type Last = () => readonly PostgresStatement[]

export async function transact<T>(
  client: ClientBase,
  work: Work<T>,
  last: Last = () => [],
): Promise<TransactionOutcome<T>> {
  let value: T
  let statements: readonly PostgresStatement[]
  try {
    value = await work(begun(client))
    statements = last()
  } catch (error) {
    const fault = databaseFault(error)
    // A lost connection has nothing to roll back, and would never answer.
    if (fault.cause === undefined || isAnswer(fault.cause)) await client.query('ROLLBACK').catch(() => undefined)
    throw fault
  }
  return await commit(client, value, statements)
}

/** The first statement does not wait for BEGIN. If BEGIN fails, none of them counts. */
function begun(client: ClientBase): Queries {
  const beginning = client.query('BEGIN')
  // Work without statements learns of the failure at the commit.
  beginning.catch(() => undefined)
  return queriesOn({
    query: async asked => {
      const [, answer] = await Promise.all([beginning, client.query(asked)])
      return answer
    },
  })
}

async function commit<T>(
  client: ClientBase,
  value: T,
  statements: readonly PostgresStatement[],
): Promise<TransactionOutcome<T>> {
  const queries = queriesOn(client)
  const asked = statements.map(async ({ text, values, told }) => {
    const rows = await queries.rows(text, values)
    return () => told?.(rows)
  })
  const committing = client.query('COMMIT')
  const written = await Promise.allSettled(asked)
  const refused = written.find(each => each.status === 'rejected')
  try {
    const { command } = await committing
    // The server's answer to COMMIT after an earlier failure.
    if (command === 'ROLLBACK' && !refused) throw new CodedError('internal', {}, { message: 'It was undone.' })
  } catch (error) {
    if (error instanceof CodedError) throw error
    if (!refused) return { kind: 'in-doubt', value, error: databaseFault(error) }
  }
  if (refused) return undone(value, databaseFault(refused.reason))
  for (const each of written) if (each.status === 'fulfilled') each.value()
  return { kind: 'committed', value }
}

/**
 * If the server refused a statement, the commit behind it has rolled back.
 * Without an answer, both may have succeeded.
 */
function undone<T>(value: T, fault: ReturnType<typeof databaseFault>): TransactionOutcome<T> {
  if (isAnswer(fault.cause)) throw fault
  return { kind: 'in-doubt', value, error: fault }
}
