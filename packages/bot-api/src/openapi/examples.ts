// One request and one answer for each endpoint. The compiler checks them against the schemas, and a test against every rule.
import type { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import type { EndpointName, Endpoints } from '../endpoints.ts'
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
  exampleUpdate,
  pressedUpdate,
  sentFile,
  sentPoll,
} from './example-objects.ts'

export type Example = { request?: unknown; answer?: unknown }

/** A request if the endpoint has a JSON body. Bytes are not examples. */
type ExampleFor<Row extends Endpoint> = {
  request?: Row extends { body: infer Body extends z.ZodType } ? z.input<Body> : object
} & (Row extends { answerType: '*/*' } ? unknown : { answer: z.input<Row['answer']> })

const hook = { id: exampleHookId, chat_id: exampleGroupId, format: 'alerts', ts: 1_794_740_229_384 } as const
const done = { answer: {} }

const examples: { [Name in EndpointName]: ExampleFor<Endpoints[Name]> } = {
  getMe: { answer: exampleBot },
  changeMe: { request: { about: 'Deploys what you ask it to.' }, answer: exampleBot },
  newInvite: { answer: exampleBot },
  setCommands: {
    request: { commands: [{ name: 'deploy', description: 'Deploys a version', args: 'version' }] },
    ...done,
  },
  setAvatar: done,
  listChats: { answer: [exampleChat, exampleGroup] },
  getChat: { answer: exampleChat },
  acceptChat: { answer: exampleChat },
  getSafetyNumber: {
    answer: {
      account: exampleChatId,
      number: '37295 01846 55120 98317 40662 71935 20418 86503 11974 63280 49751 08326',
      qr: 'postern-safety:1:…',
    },
  },
  createGroup: { request: { name: 'Releases', members: [exampleChatId] }, answer: exampleGroup },
  listMessages: { answer: [asked, answered] },
  sendMessage: {
    request: { text: 'Version 1.8 is ready. Deploy it?', buttons: [[{ text: 'Deploy', data: 'deploy 1.8' }]] },
    answer: answered,
  },
  sendFile: { answer: sentFile },
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
  getWebhook: { answer: { enabled: true, pending: 0, last_attempt_ts: 1_794_740_229_402 } },
  listHooks: { answer: [hook] },
  createHook: {
    request: { chat_id: exampleGroupId, format: 'alerts' },
    answer: { ...hook, url: 'https://hooks.example.org/hooks/the-secret' },
  },
  deleteHook: done,
  postHook: { request: { text: 'The backup is done.' }, ...done },
  health: done,
  getMetrics: {
    answer:
      '# HELP postern_relay_connected 1 while the relay can be reached.\n# TYPE postern_relay_connected gauge\npostern_relay_connected 1\n',
  },
  getOpenapi: { answer: { openapi: '3.1.1' } },
}

/** HEAD of a file is not a row of the table, and has no example. */
export const exampleOf = (name: string): Example =>
  Object.hasOwn(examples, name) ? ((examples as Record<string, Example>)[name] ?? {}) : {}
