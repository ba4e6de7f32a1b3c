// What stands behind each endpoint: checked input in, the answer out.
import type { Client } from '@postern/core'
import { gatewayLimits } from '@postern/protocol'
import { type Endpoint, type EndpointName, type Endpoints, makeOpenapi } from '@postern/protocol/bot-api'
import type { z } from 'zod'
import { changeMe } from '../bot/change-me.ts'
import { getMe } from '../bot/get-me.ts'
import { Avatars, type Upload } from '../bot/set-avatar.ts'
import { createGroup } from '../chats/create-group.ts'
import { editMessage } from '../messages/edit-message.ts'
import { sendMessage } from '../messages/send-message.ts'
import { countSend } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Updates } from '../updates/updates.ts'
import { VERSION } from '../version.ts'

/** An answer that is JSON already: updates are stored as they are sent. */
export class Serialized {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

type Part<E, Key extends 'params' | 'query' | 'headers' | 'body'> =
  E extends Record<Key, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined
type Input<E extends Endpoint> = {
  params: Part<E, 'params'>
  query: Part<E, 'query'>
  headers: Part<E, 'headers'>
  body: Part<E, 'body'>
  upload: E extends { upload: object } ? Upload : undefined
}
type Answer<E extends Endpoint> = z.infer<E['answer']> | Serialized

/** `gone` tells when nobody waits for the answer any more. */
type Handler<E extends Endpoint> = (input: Input<E>, gone: AbortSignal) => Answer<E> | Promise<Answer<E>>

export type Handlers = { [Name in EndpointName]: Handler<Endpoints[Name]> }

const within = { deadlineMs: gatewayLimits.sendWithinMs }

/** Requests that return nothing answer {}. */
async function empty(work: Promise<void>): Promise<Record<string, never>> {
  await work
  return {}
}

const botHandlers = (client: Client, avatars: Avatars) =>
  ({
    getMe: () => getMe(client),
    changeMe: ({ body }) => changeMe(client, body),
    setCommands: ({ body }) => empty(client.setProfile({ commands: body.commands })),
    setAvatar: ({ upload }) => empty(avatars.set(upload)),
  }) satisfies Partial<Handlers>

const chatHandlers = (client: Client, metrics: Metrics) =>
  ({
    listChats: () => client.chats(),
    getChat: ({ params }) => client.chat(params.chat),
    acceptChat: ({ params }) => client.acceptChat(params.chat),
    createGroup: ({ body, headers }) =>
      countSend(metrics, createGroup(client, { ...body, key: headers['idempotency-key'] })),
  }) satisfies Partial<Handlers>

const messageHandlers = (client: Client, metrics: Metrics) =>
  ({
    listMessages: ({ params, query: { before, limit } }) =>
      client.messages(params.chat, { limit, ...(before !== undefined && { beforeTs: before }) }),
    getMessage: ({ params }) => client.message(params.chat, params.msg),
    sendMessage: ({ params, body, headers }) =>
      countSend(metrics, sendMessage(client, { chat: params.chat, message: body, key: headers['idempotency-key'] })),
    editMessage: ({ params, body }) =>
      countSend(metrics, editMessage(client, { chat: params.chat, message: params.msg, edit: body })),
    deleteMessage: ({ params, query }) =>
      empty(client.deleteMessage(params.chat, { message: params.msg, for: query.for }, within)),
    setReaction: ({ params, body }) =>
      empty(client.react(params.chat, { message: params.msg, emoji: body.emoji }, within)),
    removeReaction: ({ params }) => empty(client.react(params.chat, { message: params.msg, emoji: '' }, within)),
    markRead: ({ params, body }) => empty(client.markRead(params.chat, body.up_to)),
  }) satisfies Partial<Handlers>

export type HandlerParts = { client: Client; updates: Updates; metrics: Metrics }

export function makeHandlers({ client, updates, metrics }: HandlerParts): Handlers {
  let openapi: Serialized | undefined
  return {
    ...botHandlers(client, new Avatars(client)),
    ...chatHandlers(client, metrics),
    ...messageHandlers(client, metrics),
    getUpdates: async ({ query: { offset, limit, timeout } }, gone) =>
      new Serialized(await updates.poll({ offset, limit, timeoutMs: timeout * 1000 }, gone)),
    getWebhook: () => updates.webhookStatus(),
    getMetrics: () => metrics.render(),
    getOpenapi: () => (openapi ??= new Serialized(JSON.stringify(makeOpenapi({ version: VERSION })))),
    health: () => ({}),
  }
}
