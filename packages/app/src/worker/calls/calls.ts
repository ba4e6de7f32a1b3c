// The calls of a page: the table of all calls, each with the shape of its arguments.
import type { AppCallAnswer, AppCallName } from '../../contract/calls.ts'
import { AppError } from '../app-error.ts'
import { accountCalls } from './account-calls.ts'
import type { CallGiven, Worker } from './answering.ts'
import { backupCalls } from './backup-calls.ts'
import { chatCalls } from './chat-calls.ts'
import { messageCalls } from './message-calls.ts'

type CallTable = {
  [Name in AppCallName]: (worker: Worker, asked: unknown, given: CallGiven) => Promise<AppCallAnswer<Name>>
}

const table = { ...accountCalls, ...backupCalls, ...messageCalls, ...chatCalls } satisfies CallTable

const isCallName = (name: string): name is AppCallName => Object.hasOwn(table, name)

/** Rejects for an unknown call: a page of another build may send anything. */
export async function answer(worker: Worker, name: string, asked: { value: unknown } & CallGiven): Promise<unknown> {
  if (!isCallName(name)) throw new AppError('call-unknown', { name: name.slice(0, 40) })
  return await table[name](worker, asked.value, asked)
}
