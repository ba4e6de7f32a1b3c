// Work for a connection that ends with it.

/** Set while calls are in flight; aborted when the connection is closed. */
export type OpenCalls = { closing: AbortController | undefined; inFlight: number }

/** The controller is not kept for the connection's lifetime: for ten thousand connections it would take megabytes. */
export async function whileOpen<T>(calls: OpenCalls, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  calls.closing ??= new AbortController()
  calls.inFlight += 1
  try {
    return await work(calls.closing.signal)
  } finally {
    calls.inFlight -= 1
    if (calls.inFlight === 0) calls.closing = undefined
  }
}
