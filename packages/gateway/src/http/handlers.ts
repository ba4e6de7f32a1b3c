// The handler of each endpoint: checked input in, the answer out.
import type { Client } from '@postern/core'
import { CodedError } from '@postern/protocol'
import { mayUse } from '../access.ts'
import { assertOnline } from '../bot/assert-online.ts'
import { changeMe } from '../bot/change-me.ts'
import { getMe } from '../bot/get-me.ts'
import { getPerson } from '../bot/get-person.ts'
import { createInvite, listInvites } from '../bot/invites.ts'
import { newInvite } from '../bot/new-invite.ts'
import { compareSafetyNumber, getSafetyNumber } from '../bot/safety-number.ts'
import { Avatars } from '../bot/set-avatar.ts'
import { setCommands } from '../bot/set-commands.ts'
import { addMembers, changeChat, leaveChat, removeMember, setAdmin } from '../chats/change-group.ts'
import { createGroup } from '../chats/create-group.ts'
import { editMessage } from '../chats/edit-message.ts'
import { groupLinkIn } from '../chats/group-link.ts'
import { listLimited, reachedPerson } from '../chats/limited-chats.ts'
import { sendMessage } from '../chats/send-message.ts'
import { sendPoll } from '../chats/send-poll.ts'
import { FileDownloads } from '../files/file-downloads.ts'
import { forwardMessage } from '../files/forward-message.ts'
import { sendAlbum } from '../files/send-album.ts'
import { FileUploads } from '../files/send-file.ts'
import type { ServedHooks } from '../hooks/serve-hooks.ts'
import { countSend, timeSend } from '../metrics/count-send.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Tokens } from '../tokens/tokens.ts'
import type { Updates } from '../updates/updates.ts'
import { NegotiatedAnswer, PlainAnswer, SerializedAnswer } from './answers.ts'
import { fileAnswer } from './downloads.ts'
import { empty, type Handlers, once, within } from './handler.ts'
import { OpenapiDocuments } from './openapi-documents.ts'
import { tokenHandlers } from './token-handlers.ts'
import { updateHandlers } from './update-handlers.ts'

type BotParts = { avatars: Avatars; hooks: ServedHooks | undefined }

const botHandlers = (client: Client, { avatars, hooks }: BotParts) =>
  ({
    getMe: () => getMe(client),
    newInvite: () => newInvite(client),
    changeMe: ({ body }) => changeMe(client, body),
    setCommands: ({ body }) => empty(setCommands(client, { ...body, hooks })),
    setAvatar: ({ upload }) => empty(avatars.set(upload)),
    createInvite: ({ body, headers }) => createInvite(client, body, once(headers, { invite: body })),
    listInvites: ({ query }) => listInvites(client, query),
    revokeInvite: ({ params }) => empty(client.invites.revoke(params.id)),
  }) satisfies Partial<Handlers>

const chatHandlers = (client: Client, metrics: Metrics) =>
  ({
    listChats: ({ query: { limit, after } }, { access }) =>
      access.chats
        ? listLimited(client, { limit, after, chats: access.chats })
        : limit === undefined && after === undefined
          ? new SerializedAnswer(client.chats.listText())
          : client.chats.list({ ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }),
    getChat: ({ params }) => client.chats.get(params.chat),
    acceptChat: ({ params }) => client.chats.accept(params.chat),
    declineChat: ({ params }) => empty(client.chats.decline(params.chat)),
    sendTyping: ({ params }) => empty(client.typing.send(params.chat, within)),
    sendDraft: ({ params, body: { text, format } }) =>
      empty(client.typing.sendDraft(params.chat, { text, markdown: format === 'markdown' }, within)),
    createGroup: ({ body, headers }) =>
      countSend(metrics, createGroup(client, { ...body, key: headers['idempotency-key'] })),
  }) satisfies Partial<Handlers>

const peopleHandlers = (client: Client) =>
  ({
    getPerson: ({ params }, { access }) => getPerson(client, reachedPerson(client, params.account, access)),
    getSafetyNumber: ({ params }, { access }) => getSafetyNumber(client, reachedPerson(client, params.account, access)),
    compareSafetyNumber: ({ params, body }) => compareSafetyNumber(client, { ...params, ...body }),
    listBlocked: () => client.identity.blocked(),
    blockPerson: ({ params }) => empty(client.chats.block(params.account)),
    unblockPerson: ({ params }) => empty(client.chats.unblock(params.account)),
  }) satisfies Partial<Handlers>

const groupHandlers = (client: Client, metrics: Metrics, avatars: Avatars) =>
  ({
    changeChat: ({ params, headers, body }) =>
      countSend(metrics, changeChat(client, { ...params, key: headers['idempotency-key'], change: body })),
    addMembers: ({ params, headers, body }) =>
      countSend(metrics, addMembers(client, { ...params, key: headers['idempotency-key'], add: body.add })),
    removeMember: ({ params, headers }) =>
      countSend(metrics, removeMember(client, { ...params, key: headers['idempotency-key'] })),
    setAdmin: ({ params, headers, body }) =>
      countSend(metrics, setAdmin(client, { ...params, key: headers['idempotency-key'], admin: body.admin })),
    setChatPicture: ({ params, upload }) => avatars.setOfGroup(params.chat, upload),
    removeChatPicture: ({ params }) => client.chats.setGroupPicture(params.chat, null, within),
    leaveChat: ({ params, headers }) =>
      countSend(metrics, empty(leaveChat(client, { ...params, key: headers['idempotency-key'] }))),
  }) satisfies Partial<Handlers>

const groupLinkHandlers = ({ groupLinks, chats }: Client) =>
  ({
    createGroupLink: ({ params }) => groupLinks.make(params.chat),
    listGroupLinks: ({ params }) => chats.get(params.chat) && groupLinks.list(params.chat),
    revokeGroupLink: ({ params }) => empty(groupLinks.revoke(params.chat, params.token)),
    listJoinRequests: ({ params }) => chats.get(params.chat) && groupLinks.requests(params.chat),
    answerJoinRequest: async ({ params: { chat, account }, body }) => {
      if (body.add) return await groupLinks.add(chat, account, within)
      await groupLinks.decline(chat, account)
      return chats.get(chat)
    },
    askToJoin: ({ body }) => groupLinks.ask(groupLinkIn(body.link), within),
    listAskedJoins: () => groupLinks.asked(),
    forgetAskedJoin: ({ params }) => empty(groupLinks.forgetAsked(params)),
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
    sendAlbum: ({ params, headers, form }) =>
      countSend(metrics, sendAlbum({ client, uploads }, { chat: params.chat, form, key: headers['idempotency-key'] })),
    forwardMessage: ({ params, body, headers }) =>
      countSend(
        metrics,
        forwardMessage({ client, uploads }, { chat: params.chat, message: body, key: headers['idempotency-key'] }),
      ),
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
    answerPress: ({ params, body, headers }, { access: { chats } }) => {
      const answer = { press: params.press_id, text: body.text }
      return timeSend(metrics, () =>
        empty(client.messages.answerPress(answer.press, answer.text, { ...once(headers, { answer }), chats })),
      )
    },
  }) satisfies Partial<Handlers>

const hookHandlers = ({ admin, receiver }: ServedHooks) =>
  ({
    listHooks: ({ query }, { access }) => admin.list(query.chat).filter(({ chat_id }) => mayUse(access, chat_id)),
    createHook: ({ body: { chat_id: chat, ...wanted } }) => admin.create({ chat, ...wanted }),
    deleteHook: ({ params }, { access }) => {
      const isOutside = admin.list().some(({ id, chat_id }) => id === params.id && !mayUse(access, chat_id))
      // As for a hook that does not exist.
      if (isOutside) throw new CodedError('hook-not-found')
      return empty(admin.removeKnown(params.id))
    },
    postHook: async ({ params: { secret }, query, headers, upload }, caller) => {
      const answer = await receiver.receive({ secret, headers, isDryRun: query.dry_run === '1', upload }, caller)
      return answer.kind === 'json' ? answer.value : new PlainAnswer(answer.text, answer.isRefusal ? 400 : 200)
    },
  }) satisfies Partial<Handlers>

export type HandlerParts = {
  client: Client
  updates: Updates
  metrics: Metrics
  hooks: ServedHooks | undefined
  tokens: Tokens
}

export function makeHandlers({ client, updates, metrics, hooks, tokens }: HandlerParts): Handlers {
  const openapi = new OpenapiDocuments()
  const avatars = new Avatars(client)
  return {
    ...botHandlers(client, { avatars, hooks }),
    ...chatHandlers(client, metrics),
    ...peopleHandlers(client),
    ...groupHandlers(client, metrics, avatars),
    ...groupLinkHandlers(client),
    ...messageHandlers(client, metrics),
    ...fileHandlers(client, metrics),
    ...pollHandlers(client, metrics),
    ...(hooks && hookHandlers(hooks)),
    ...updateHandlers(updates),
    ...tokenHandlers(tokens, { client, updates }),
    getMetrics: () => metrics.render(),
    getOpenapi: ({ query }) => openapi.get(query.version),
    health: () => ({}),
    ready: () => {
      assertOnline(client)
      return {}
    },
  }
}
