// Code that only a click needs: fetched when the page is idle, and at the latest on demand.
import { CallError } from '../contract/calls.ts'

const REST_MS = 2_000

const unfetched = new Set<() => Promise<unknown>>()
let isFetching = false

/** Without a connection it fails like a call: in words, and the next click retries. */
export function lazyImport<Code>(load: () => Promise<Code>): () => Promise<Code> {
  let loading: Promise<Code> | undefined
  const get = async (): Promise<Code> => {
    loading ??= load()
    try {
      return await loading
    } catch (error) {
      loading = undefined
      throw new CallError({ code: 'relay-unreachable', message: String(error) })
    }
  }
  unfetched.add(get)
  if (isFetching) fetchAtRest()
  return get
}

/** Starts fetching, also for code of other screens: code that is needed first does not wait for it. */
export function fetchAtRest(): void {
  isFetching = true
  const fetchAll = (): void => {
    const all = [...unfetched]
    unfetched.clear()
    // A failed one is fetched again by the click that needs it.
    Promise.allSettled(all.map(get => get())).catch(reportError)
  }
  if ('requestIdleCallback' in globalThis) requestIdleCallback(fetchAll)
  else setTimeout(fetchAll, REST_MS)
}
