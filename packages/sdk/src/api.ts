// The API as methods: one for each row of the table, outside of handlers and inside of one.
import { ApiError } from './api-error.ts'
import { type Operations, operations } from './api-types.ts'
import type { Call, Client, OperationName, Params } from './client.ts'

type Parameters<Params> = object extends Params ? [params?: Params, call?: Call] : [params: Params, call?: Call]

export type Api = {
  [Name in OperationName]: (...args: Parameters<Operations[Name]['params']>) => Promise<Operations[Name]['answer']>
}

type Caller = (name: OperationName, params: Params, call: Call) => Promise<unknown>

const apiOf = (ask: Caller): Api =>
  Object.fromEntries(
    (Object.keys(operations) as OperationName[]).map(name => [
      name,
      (params: Params = {}, call: Call = {}) => ask(name, params, call),
    ]),
  ) as unknown as Api

export const plainApi = (client: Client): Api => apiOf((name, params, call) => client.call(name, params, call))

/** The keys of one update: a handler that runs again makes the same keys in the same order. */
export class UpdateKeys {
  readonly #update: number
  #part = ''
  #count = 0

  constructor(update: number) {
    this.#update = update
  }

  next(name = this.nextName()): string {
    return `u${this.#update}.${name}`
  }

  /** For a step that sends any number of messages: later steps keep their keys. */
  nextName(): string {
    this.#count += 1
    return `${this.#part}${this.#count}`
  }

  /** `bot.catch` has its own keys: a failed run may have used any number of the handler's. */
  beginCatch(): void {
    this.#part = 'catch'
    this.#count = 0
  }
}

/**
 * Every send gets a key of the update. If an earlier run has already sent something else under the key, that step is
 * done: the message of that run is returned, and nothing is sent.
 */
export function apiWithin(client: Client, { keys, signal }: { keys: UpdateKeys; signal: AbortSignal }): Api {
  return apiOf(async (name, params, call) => {
    const isKeyed = operations[name].keyed
    const within = { signal, ...call, ...(isKeyed && { key: keys.next(call.key) }) }
    try {
      return await client.call(name, params, within)
    } catch (error) {
      if (!isKeyed || !(error instanceof ApiError) || error.messageId === undefined) throw error
      const message = await client.call('getMessage', { chat: params['chat'], msg: error.messageId }, { signal })
      // The error names the first message of an album that an earlier run has sent.
      return name === 'sendAlbum' ? [message] : message
    }
  })
}
