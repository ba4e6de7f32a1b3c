// The worker's side of a conversation with a test: each call by its name, each answer under its number.
export type Calls = Record<string, (...given: never[]) => unknown>

/** Call it once, in the worker of a test. */
export function answerCalls(calls: Calls): void {
  addEventListener('message', (event: MessageEvent<{ id: number; name: string; given: never[] }>) => {
    const { id, name, given } = event.data
    void answer(calls[name], given).then(said => postMessage({ id, ...said }))
  })
}

type Said = { value: unknown } | { failure: { message: string; code: string | undefined } }

async function answer(call: Calls[string] | undefined, given: never[]): Promise<Said> {
  try {
    if (!call) throw new Error('there is no such call')
    return { value: await call(...given) }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    return { failure: { message: stack ?? message, code } }
  }
}
