// An action of a person that may fail: the fault is shown in words, and nothing is thrown.
import { CallError } from '../contract/calls.ts'
import { faultWordsOf } from './fault-words.ts'
import { showToast } from './toasts/toast-list.ts'

/** Truthy when it succeeded: `const done = await attempt(call(…)); if (done) go(done.value)`. It never rejects. */
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

/** For work that nobody awaits, such as an event handler. */
export function begin(promise: Promise<unknown>): void {
  attempt(promise).catch(reportError)
}
