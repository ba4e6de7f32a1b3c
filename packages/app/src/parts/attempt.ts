// What a person began and may fail: the fault is shown in words, and nothing is thrown on.
import { CallError } from '../contract/calls.ts'
import { faultWordsOf } from './fault-words.ts'
import { showToast } from './toasts/toast-list.ts'

/** Truthy when it went well: `const done = await attempt(call(…)); if (done) go(done.value)`. It never rejects. */
export async function attempt<Value>(promise: Promise<Value>): Promise<{ value: Value } | undefined> {
  try {
    return { value: await promise }
  } catch (error) {
    if (!(error instanceof CallError)) reportError(error)
    const fault = error instanceof CallError ? error.fault : { code: 'internal', message: '' }
    showToast({ kind: 'error', text: await faultWordsOf(fault) })
    return undefined
  }
}

/** For what nobody waits for: a handler of an event. */
export function begin(promise: Promise<unknown>): void {
  attempt(promise).catch(reportError)
}
