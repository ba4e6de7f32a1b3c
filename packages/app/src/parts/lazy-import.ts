// Code that only a click needs: fetched when the page rests, and at the latest when somebody asks for it.
import { CallError } from '../contract/calls.ts'

const REST_MS = 2_000

const unfetched = new Set<() => Promise<unknown>>()
let isFetching = false

/** Without a connection it fails as a call does: in words, and the next click tries again. */
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

/** From now on, also what comes with other screens: what is asked for first does not wait behind it. */
export function fetchAtRest(): void {
  isFetching = true
  const fetchAll = (): void => {
    const all = [...unfetched]
    unfetched.clear()
    // One that fails is fetched again by the click that needs it.
    Promise.allSettled(all.map(get => get())).catch(reportError)
  }
  if ('requestIdleCallback' in globalThis) requestIdleCallback(fetchAll)
  else setTimeout(fetchAll, REST_MS)
}
