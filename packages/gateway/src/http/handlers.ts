// The handler of each endpoint: checked input in, the answer out.
import type { Endpoint, EndpointName, Endpoints, HookEndpointName } from '@postern/bot-api'
import type { Client } from '@postern/core'
import { gatewayLimits } from '@postern/protocol'
import type { z } from 'zod'
import { changeMe } from '../bot/change-me.ts'
import { getMe } from '../bot/get-me.ts'
import { newInvite } from '../bot/new-invite.ts'
import { Avatars, type AvatarUpload } from '../bot/set-avatar.ts'
import { setCommands } from '../bot/set-commands.ts'
import type { HttpCaller } from '../caller.ts'
import { createGroup } from '../chats/create-group.ts'
import { editMessage } from '../chats/edit-message.ts'
import { idempotencyOf } from '../chats/idempotency.ts'
import { sendMessage } from '../chats/send-message.ts'
import { sendPoll } from '../chats/send-poll.ts'
import { FileDownloads } from '../files/file-downloads.ts'
import { type FileForm, FileUploads } from '../files/send-file.ts'
import type { ServedHooks } from '../hooks/serve-hooks.ts'
import { countSend, timeSend } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Updates } from '../updates/updates.ts'
import { NegotiatedAnswer, SerializedAnswer } from './answers.ts'
import { fileAnswer } from './downloads.ts'
import { OpenapiDocuments } from './openapi-documents.ts'

type InputPart<E, Key extends 'params' | 'query' | 'headers' | 'body'> =
  E extends Record<Key, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined
type Input<E extends Endpoint> = {
  params: InputPart<E, 'params'>
  query: InputPart<E, 'query'>
  headers: InputPart<E, 'headers'>
  body: InputPart<E, 'body'>
  upload: E extends { upload: object } ? AvatarUpload : undefined
  form: E extends { form: object } ? FileForm : undefined
  /** A HEAD request: the body of the answer is not sent. */
  isHead: boolean
}
type Answer<E extends Endpoint> = z.infer<E['answer']> | SerializedAnswer | NegotiatedAnswer

type Handler<E extends Endpoint> = (input: Input<E>, caller: HttpCaller) => Answer<E> | Promise<Answer<E>>

type AllHandlers = { [Name in EndpointName]: Handler<Endpoints[Name]> }

/** The endpoints of hooks exist when hooks are on. */
export type Handlers = Omit<AllHandlers, HookEndpointName> & Partial<Pick<AllHandlers, HookEndpointName>>

const within = { timeoutMs: gatewayLimits.sendWithinMs }

/** Under a caller's key the same request is executed once. */
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
    listChats: ({ query: { limit, after } }) =>
      limit === undefined && after === undefined
        ? new SerializedAnswer(client.chats.listText())
        : client.chats.list({ ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }),
    getChat: ({ params }) => client.chats.get(params.chat),
    getSafetyNumber: ({ params }) => client.identity.safetyNumber(params.account, within),
    acceptChat: ({ params }) => client.chats.accept(params.chat),
    createGroup: ({ body, headers }) =>
      countSend(metrics, createGroup(client, { ...body, key: headers['idempotency-key'] })),
  }) satisfies Partial<Handlers>

const messageHandlers = (client: Client, metrics: Metrics) =>
  ({
    listMessages: ({ params, query: { before, after, around, limit } }) =>
      client.messages.list(params.chat, {
        limit,
        ...(before !== undefined && { beforeTs: before }),
        ...(after !== undefined && { afterTs: after }),
        ...(around !== undefined && { around }),
      }),
    getMessage: ({ params }) => client.messages.get(params.chat, params.msg),
    sendMessage: ({ params, body, headers }) =>
      timeSend(metrics, () =>
        sendMessage(client, { chat: params.chat, message: body, key: headers['idempotency-key'] }),
      ),
    editMessage: ({ params, body }) =>
      timeSend(metrics, () => editMessage(client, { chat: params.chat, message: params.msg, edit: body })),
    deleteMessage: ({ params, query }) =>
      empty(client.messages.delete(params.chat, { message: params.msg, for: query.for }, within)),
    setReaction: ({ params, body }) =>
      empty(client.messages.react(params.chat, { message: params.msg, emoji: body.emoji }, within)),
    removeReaction: ({ params }) =>
      empty(client.messages.react(params.chat, { message: params.msg, emoji: '' }, within)),
    markRead: ({ params, body }) => empty(client.messages.markRead(params.chat, body.up_to)),
  }) satisfies Partial<Handlers>

const fileHandlers = (client: Client, metrics: Metrics) => {
  const uploads = new FileUploads(client, metrics.fileBytes)
  const downloads = new FileDownloads(client, metrics.fileBytes)
  metrics.addGauge({ name: 'postern_file_uploads', help: 'Files on their way in.' }, () => uploads.count)
  metrics.addGauge({ name: 'postern_file_downloads', help: 'Files on their way out.' }, () => downloads.count)
  metrics.addGauge(
    { name: 'postern_file_cache_bytes', help: 'Files that lie here as they came, and can be fetched again.' },
    () => client.files.keptBytes,
  )
  return {
    sendFile: ({ params, headers, form }) =>
      countSend(metrics, uploads.send({ chat: params.chat, form, key: headers['idempotency-key'] })),
    getFile: async ({ params }, { gone }) => {
      const file = await downloads.open({ chat: params.chat, message: params.msg }, gone)
      return new NegotiatedAnswer(request => fileAnswer(file, request))
    },
  } satisfies Partial<Handlers>
}

const pollHandlers = (client: Client, metrics: Metrics) =>
  ({
    sendPoll: ({ params, body, headers }) =>
      timeSend(metrics, () => sendPoll(client, { chat: params.chat, poll: body, key: headers['idempotency-key'] })),
    vote: ({ params, body, headers }) => {
      const vote = { message: params.msg, options: body.options }
      return empty(client.messages.vote(params.chat, vote, once(headers, { vote })))
    },
    closePoll: ({ params, headers }) =>
      empty(client.messages.closePoll(params.chat, params.msg, once(headers, { close: params.msg }))),
    answerPress: ({ params, body, headers }) => {
      const answer = { press: params.press_id, text: body.text }
      return timeSend(metrics, () =>
        empty(client.messages.answerPress(answer.press, answer.text, once(headers, { answer }))),
      )
    },
  }) satisfies Partial<Handlers>

const hookHandlers = ({ admin, receiver }: ServedHooks) =>
  ({
    listHooks: ({ query }) => admin.list(query.chat),
    createHook: ({ body }) => admin.create({ chat: body.chat_id, format: body.format }),
    deleteHook: ({ params }) => empty(admin.removeKnown(params.id)),
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
  const openapi = new OpenapiDocuments()
  return {
    ...botHandlers(client, { avatars: new Avatars(client), hooks }),
    ...chatHandlers(client, metrics),
    ...messageHandlers(client, metrics),
    ...fileHandlers(client, metrics),
    ...pollHandlers(client, metrics),
    ...(hooks && hookHandlers(hooks)),
    getUpdates: async ({ query: { offset, limit, timeout }, isHead }, caller) => {
      // A HEAD request must not confirm updates that nobody has read, nor wait for a body that it will not see.
      if (isHead) return new SerializedAnswer(updates.peek({ offset, limit }))
      return new SerializedAnswer(await updates.poll({ offset, limit, timeoutMs: timeout * 1000 }, caller))
    },
    getWebhook: () => updates.webhookStatus(),
    getMetrics: () => metrics.render(),
    getOpenapi: ({ query }) => openapi.get(query.version),
    health: () => ({}),
  }
}
