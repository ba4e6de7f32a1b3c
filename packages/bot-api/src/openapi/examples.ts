// One request and one answer for each endpoint. The compiler checks them against the schemas, and a test against every rule.
import type { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import type { EndpointName, Endpoints } from '../endpoints.ts'
import type { ApiToken } from '../token-endpoints.ts'
import {
  answered,
  asked,
  edited,
  exampleBot,
  exampleChat,
  exampleChatId,
  exampleGroup,
  exampleGroupId,
  exampleHookId,
  exampleInvite,
  exampleUpdate,
  pressedUpdate,
  sentAlbum,
  sentFile,
  sentPoll,
} from './example-objects.ts'

export type Example = { request?: unknown; answer?: unknown }

/** A request if the endpoint has a JSON body. Bytes are not examples. */
type ExampleFor<Row extends Endpoint> = {
  request?: Row extends { body: infer Body extends z.ZodType } ? z.input<Body> : object
} & (Row extends { answerType: '*/*' } ? unknown : { answer: z.input<Row['answer']> })

const hook = { id: exampleHookId, chat_id: exampleGroupId, format: 'alerts', ts: 1_794_740_229_384 } as const
const token = {
  id: 'k3v9q2xa',
  name: 'Nightly build',
  scopes: ['send'],
  chats: [exampleGroupId],
  ts: 1_794_740_229_384,
} satisfies ApiToken
const done = { answer: {} }
const exampleGroupLink = {
  token: 'o3Zr0s9c8o9o7kH2m1Xb0Q',
  url: 'https://relay.example/#g/the-link',
  ts: 1_794_740_229_384,
}
const exampleAsked = {
  account: exampleChatId,
  token: exampleGroupLink.token,
  title: 'Releases',
  ts: 1_794_740_229_384,
  state: 'waiting' as const,
}
const exampleSafetyNumber = {
  account: exampleChatId,
  number: '37295 01846 55120 98317 40662 71935 20418 86503 11974 63280 49751 08326',
  qr: 'postern-safety:1:…',
}

const examples: { [Name in EndpointName]: ExampleFor<Endpoints[Name]> } = {
  getMe: { answer: exampleBot },
  changeMe: { request: { about: 'Deploys what you ask it to.' }, answer: exampleBot },
  newInvite: { answer: exampleBot },
  setCommands: {
    request: { commands: [{ name: 'deploy', description: 'Deploys a version', args: 'version' }] },
    ...done,
  },
  setAvatar: done,
  createInvite: {
    request: { payload: 'ticket-4711', uses: 1, expires: 1_794_743_829_384 },
    answer: exampleInvite,
  },
  listInvites: { answer: [exampleInvite] },
  revokeInvite: done,
  listChats: { answer: [exampleChat, exampleGroup] },
  getChat: { answer: exampleChat },
  acceptChat: { answer: exampleChat },
  declineChat: done,
  sendTyping: done,
  sendDraft: { request: { text: 'The log says that', format: 'markdown' }, ...done },
  getPerson: { answer: { id: exampleChatId, name: 'Alice', about: 'Ships on Fridays.', bot: false } },
  getSafetyNumber: { answer: { ...exampleSafetyNumber, verified: false } },
  compareSafetyNumber: {
    request: { verified: true, number: exampleSafetyNumber.number },
    answer: { ...exampleSafetyNumber, verified: true },
  },
  createGroupLink: { answer: exampleGroupLink },
  listGroupLinks: { answer: [exampleGroupLink] },
  revokeGroupLink: done,
  listJoinRequests: { answer: [{ from: { id: exampleChatId, name: 'Alice' }, ts: 1_794_740_229_384 }] },
  answerJoinRequest: { request: { add: true }, answer: exampleGroup },
  askToJoin: { request: { link: exampleGroupLink.url }, answer: exampleAsked },
  listAskedJoins: { answer: [exampleAsked] },
  forgetAskedJoin: done,
  setChatPicture: { answer: exampleGroup },
  removeChatPicture: { answer: exampleGroup },
  listBlocked: { answer: [{ id: exampleChatId, name: 'Alice' }] },
  blockPerson: done,
  unblockPerson: done,
  createGroup: { request: { name: 'Releases', members: [exampleChatId] }, answer: exampleGroup },
  changeChat: { request: { name: 'Releases', timer_ms: 86_400_000 }, answer: exampleGroup },
  addMembers: { request: { add: [exampleChatId] }, answer: exampleGroup },
  removeMember: { answer: exampleGroup },
  setAdmin: { request: { admin: true }, answer: exampleGroup },
  leaveChat: done,
  listMessages: { answer: [asked, answered] },
  sendMessage: {
    request: { text: 'Version 1.8 is ready. Deploy it?', buttons: [[{ text: 'Deploy', data: 'deploy 1.8' }]] },
    answer: answered,
  },
  sendFile: { answer: sentFile },
  sendAlbum: { answer: sentAlbum },
  forwardMessage: {
    request: { from: { chat_id: exampleChatId, message_id: sentFile.id } },
    answer: { ...sentFile, chat_id: exampleGroupId, forwarded: true },
  },
  getMessage: { answer: answered },
  getFile: {},
  editMessage: {
    request: { text: 'Version 1.8 is out.', buttons: [] },
    answer: edited,
  },
  deleteMessage: done,
  setReaction: { request: { emoji: '👍' }, ...done },
  removeReaction: done,
  markRead: { request: { up_to: asked.id }, ...done },
  sendPoll: { request: { question: 'When do we deploy?', options: ['Now', 'Tomorrow'] }, answer: sentPoll },
  vote: { request: { options: [0] }, ...done },
  closePoll: done,
  answerPress: { request: { text: 'On its way' }, ...done },
  getUpdates: { answer: [exampleUpdate, pressedUpdate] },
  streamUpdates: {
    answer: `retry: 1000\n\nid: ${exampleUpdate.id}\ndata: ${JSON.stringify(exampleUpdate)}\n\n: heartbeat\n\n`,
  },
  listReaders: { answer: [{ name: 'archive', offset: 1043, pending: 2, dropped: 0, types: ['message'] }] },
  confirmUpdates: { request: { offset: 1045 }, answer: { name: 'archive', offset: 1045, pending: 0, dropped: 0 } },
  deleteReader: done,
  getWebhook: { answer: { enabled: true, pending: 0, last_attempt_ts: 1_794_740_229_402 } },
  setWebhook: {
    request: { url: 'https://bot.example.org/updates', secret: 'a-long-secret' },
    answer: { enabled: true, pending: 0 },
  },
  removeWebhook: { answer: { enabled: false, pending: 0 } },
  pauseWebhook: { answer: { enabled: true, paused: true, pending: 2 } },
  resumeWebhook: { answer: { enabled: true, pending: 2 } },
  retryWebhook: { answer: { enabled: true, pending: 2 } },
  listHooks: { answer: [hook] },
  createHook: {
    request: { chat_id: exampleGroupId, format: 'alerts' },
    answer: { ...hook, url: 'https://hooks.example.org/hooks/the-secret' },
  },
  deleteHook: done,
  postHook: { request: { text: 'The backup is done.' }, ...done },
  createToken: {
    request: { name: 'Nightly build', scopes: ['send'], chats: [exampleGroupId] },
    answer: { ...token, token: 'postern_k3v9q2xa_the-secret' },
  },
  listTokens: { answer: [{ ...token, last_used_ts: 1_794_743_829_384 }] },
  revokeToken: done,
  health: done,
  ready: done,
  getMetrics: {
    answer:
      '# HELP postern_relay_connected 1 while the relay can be reached.\n# TYPE postern_relay_connected gauge\npostern_relay_connected 1\n',
  },
  getOpenapi: { answer: { openapi: '3.1.1' } },
}

/** HEAD of a file is not a row of the table, and has no example. */
export const exampleOf = (name: string): Example =>
  Object.hasOwn(examples, name) ? ((examples as Record<string, Example>)[name] ?? {}) : {}
