// Data that a bot keeps for a chat or a person, loaded before the handlers and saved before the update is confirmed.
import type { Handler } from './composer.ts'
import type { Context } from './context.ts'

export interface Store<Value> {
  get(key: string): Promise<Value | undefined>
  set(key: string, value: Value): Promise<void>
  delete(key: string): Promise<void>
}

export type SessionOptions<Session> = {
  initial: () => Session
  /** `both`: a person in a chat. By default `chat`. */
  by?: 'chat' | 'person' | 'both'
  /** By default in memory: it ends with the process. */
  store?: Store<Session>
}

function memoryStore<Value>(): Store<Value> {
  const values = new Map<string, Value>()
  return {
    get: key => Promise.resolve(structuredClone(values.get(key))),
    set: (key, value) => Promise.resolve(void values.set(key, structuredClone(value))),
    delete: key => Promise.resolve(void values.delete(key)),
  }
}

export function session<Session>({
  initial,
  by = 'chat',
  store = memoryStore(),
}: SessionOptions<Session>): Handler<Context & { session: Session }> {
  const busy = new Map<string, Promise<void>>()
  return async (ctx, next) => {
    const key = keyOf(ctx, by)
    if (key === undefined) return await next()
    const work = async (): Promise<void> => {
      ctx.session = (await store.get(key)) ?? initial()
      await next()
      // A handler that throws runs again, with the session that it had before.
      if (ctx.session === undefined) await store.delete(key)
      else await store.set(key, ctx.session)
    }
    if (by === 'person') await inTurn(busy, key, work)
    else await work()
  }
}

/** Two chats of one person may be handled at the same time: the later one would overwrite what the other has saved. */
async function inTurn(busy: Map<string, Promise<void>>, key: string, work: () => Promise<void>): Promise<void> {
  const turn = (busy.get(key) ?? Promise.resolve()).then(work, work)
  busy.set(key, turn)
  try {
    await turn
  } finally {
    if (busy.get(key) === turn) busy.delete(key)
  }
}

function keyOf({ chatId, from }: Context, by: 'chat' | 'person' | 'both'): string | undefined {
  if (by === 'chat') return chatId
  if (from === undefined) return undefined
  return by === 'person' ? from.id : `${chatId}-${from.id}`
}
