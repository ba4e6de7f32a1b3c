// What stands behind each endpoint: checked input in, the answer out.
import type { Client } from '@postern/core'
import { chatIdOf, type Endpoint, type EndpointName, type Endpoints } from '@postern/protocol/bot-api'
import type { z } from 'zod'
import { getMe } from '../bot/get-me.ts'
import { sendMessage } from '../messages/send-message.ts'
import type { Updates } from '../updates/updates.ts'

/** An answer that is JSON already: updates are stored as they are sent. */
export class Serialized {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

type Part<E, Key extends 'params' | 'query' | 'body'> =
  E extends Record<Key, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined
type Input<E extends Endpoint> = { params: Part<E, 'params'>; query: Part<E, 'query'>; body: Part<E, 'body'> }
type Answer<E extends Endpoint> = z.infer<E['answer']> | Serialized

/** `gone` tells when nobody waits for the answer any more. */
type Handler<E extends Endpoint> = (input: Input<E>, gone: AbortSignal) => Answer<E> | Promise<Answer<E>>

export type Handlers = { [Name in EndpointName]: Handler<Endpoints[Name]> }

export const makeHandlers = (client: Client, updates: Updates): Handlers => ({
  health: () => ({}),
  getMe: () => getMe(client),
  listChats: () => client.chats(),
  getChat: ({ params }) => client.chat(chatIdOf(params.chat)),
  sendMessage: ({ params, body }) => sendMessage(client, chatIdOf(params.chat), body),
  getUpdates: async ({ query: { offset, limit, timeout } }, gone) =>
    new Serialized(await updates.poll({ offset, limit, timeoutMs: timeout * 1000 }, gone)),
})
