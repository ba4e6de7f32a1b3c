// What stands behind each endpoint: checked input in, the answer out.
import { type Endpoint, type EndpointName, type Endpoints, type HookEndpointName, makeOpenapi } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { gatewayLimits } from '@postern/protocol'
import type { z } from 'zod'
import { changeMe } from '../bot/change-me.ts'
import { getMe } from '../bot/get-me.ts'
import { newInvite } from '../bot/new-invite.ts'
import { Avatars, type Upload } from '../bot/set-avatar.ts'
import { setCommands } from '../bot/set-commands.ts'
import { createGroup } from '../chats/create-group.ts'
import { FileDownloads } from '../files/file-downloads.ts'
import { type FileForm, FileUploads } from '../files/send-file.ts'
import type { ServedHooks } from '../hooks/start-hooks.ts'
import { editMessage } from '../messages/edit-message.ts'
import { idempotencyOf } from '../messages/idempotency.ts'
import { sendMessage } from '../messages/send-message.ts'
import { countSend } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { sendPoll } from '../polls/send-poll.ts'
import type { Updates } from '../updates/updates.ts'
import { VERSION } from '../version.ts'
import type { Caller } from '../waiting.ts'
import { Negotiated, Serialized } from './answers.ts'
import { fileAnswer } from './downloads.ts'

type Part<E, Key extends 'params' | 'query' | 'headers' | 'body'> =
  E extends Record<Key, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined
type Input<E extends Endpoint> = {
  params: Part<E, 'params'>
  query: Part<E, 'query'>
  headers: Part<E, 'headers'>
  body: Part<E, 'body'>
  upload: E extends { upload: object } ? Upload : undefined
  form: E extends { form: object } ? FileForm : undefined
  /** Nobody reads the answer but its head. */
  isHead: boolean
}
type Answer<E extends Endpoint> = z.infer<E['answer']> | Serialized | Negotiated

type Handler<E extends Endpoint> = (input: Input<E>, caller: Caller) => Answer<E> | Promise<Answer<E>>

type AllHandlers = { [Name in EndpointName]: Handler<Endpoints[Name]> }

/** Those of hooks are there when hooks are on. */
export type Handlers = Omit<AllHandlers, HookEndpointName> & Partial<Pick<AllHandlers, HookEndpointName>>

const within = { deadlineMs: gatewayLimits.sendWithinMs }

/** Under a caller's key the same request is carried out once. */
const once = (headers: { 'idempotency-key'?: string | undefined }, request: object) => ({
  ...within,
  ...idempotencyOf(headers['idempotency-key'], request),
})

/** Requests that return nothing answer {}. */
async function empty(work: Promise<void>): Promise<Record<string, never>> {
  await work
  return {}
}

type BotParts = { avatars: Avatars; hooks: ServedHooks | undefined }

const botHandlers = (client: Client, { avatars, hooks }: BotParts) =>
  ({
    getMe: () => getMe(client),
    newInvite: () => newInvite(client),
    changeMe: ({ body }) => changeMe(client, body),
    setCommands: ({ body }) => empty(setCommands(client, { ...body, hooks })),
    setAvatar: ({ upload }) => empty(avatars.set(upload)),
  }) satisfies Partial<Handlers>

const chatHandlers = (client: Client, metrics: Metrics) =>
  ({
    listChats: () => client.chats(),
    getChat: ({ params }) => client.chat(params.chat),
    getSafetyNumber: ({ params }) => client.safetyNumber(params.account, within),
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

const fileHandlers = (client: Client, metrics: Metrics) => {
  const uploads = new FileUploads(client, metrics.fileBytes)
  const downloads = new FileDownloads(client, metrics.fileBytes)
  metrics.addGauge({ name: 'postern_file_uploads', help: 'Files on their way in.' }, () => uploads.count)
  metrics.addGauge({ name: 'postern_file_downloads', help: 'Files on their way out.' }, () => downloads.count)
  return {
    sendFile: ({ params, headers, form }) =>
      countSend(metrics, uploads.send({ chat: params.chat, form, key: headers['idempotency-key'] })),
    getFile: async ({ params }, { gone }) => {
      const file = await downloads.open({ chat: params.chat, message: params.msg }, gone)
      return new Negotiated(request => fileAnswer(file, request))
    },
  } satisfies Partial<Handlers>
}

const pollHandlers = (client: Client, metrics: Metrics) =>
  ({
    sendPoll: ({ params, body, headers }) =>
      countSend(metrics, sendPoll(client, { chat: params.chat, poll: body, key: headers['idempotency-key'] })),
    vote: ({ params, body, headers }) => {
      const vote = { message: params.msg, options: body.options }
      return empty(client.vote(params.chat, vote, once(headers, { vote })))
    },
    closePoll: ({ params, headers }) =>
      empty(client.closePoll(params.chat, params.msg, once(headers, { close: params.msg }))),
    answerPress: ({ params, body, headers }) => {
      const answer = { press: params.press_id, text: body.text }
      return countSend(metrics, empty(client.answerPress(answer.press, answer.text, once(headers, { answer }))))
    },
  }) satisfies Partial<Handlers>

const hookHandlers = ({ manager, receiver }: ServedHooks) =>
  ({
    listHooks: ({ query }) => manager.list(query.chat),
    createHook: ({ body }) => manager.create({ chat: body.chat_id, format: body.format }),
    deleteHook: ({ params }) => empty(manager.removeKnown(params.id)),
    postHook: ({ params, headers, upload }, caller) =>
      empty(
        receiver.receive(
          {
            secret: params.secret,
            contentType: headers['content-type'],
            vcsToken: headers['x-vcs-token'],
            idempotencyKey: headers['idempotency-key'],
            upload,
          },
          caller,
        ),
      ),
  }) satisfies Partial<Handlers>

export type HandlerParts = { client: Client; updates: Updates; metrics: Metrics; hooks: ServedHooks | undefined }

export function makeHandlers({ client, updates, metrics, hooks }: HandlerParts): Handlers {
  let openapi: Serialized | undefined
  return {
    ...botHandlers(client, { avatars: new Avatars(client), hooks }),
    ...chatHandlers(client, metrics),
    ...messageHandlers(client, metrics),
    ...fileHandlers(client, metrics),
    ...pollHandlers(client, metrics),
    ...(hooks && hookHandlers(hooks)),
    getUpdates: async ({ query: { offset, limit, timeout }, isHead }, { gone }) => {
      // Who only looks at the head must not confirm what nobody has read, nor wait for what it will not see.
      if (isHead) return new Serialized(updates.peek({ offset, limit }))
      return new Serialized(await updates.poll({ offset, limit, timeoutMs: timeout * 1000 }, gone))
    },
    getWebhook: () => updates.webhookStatus(),
    getMetrics: () => metrics.render(),
    getOpenapi: () => (openapi ??= new Serialized(JSON.stringify(makeOpenapi({ version: VERSION })))),
    health: () => ({}),
  }
}
