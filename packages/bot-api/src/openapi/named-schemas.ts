// The schemas that have a name in the document. A generated client has a type for each.
import type { z } from 'zod'
import { newButton } from '../button-rules.ts'
import type { Endpoint } from '../endpoint.ts'
import { endpoints } from '../endpoints.ts'
import { newEntity } from '../entity-rules.ts'
import { deletion, joinRequest, press, reactionChange, receipt, update } from '../events.ts'
import { newMention } from '../field-rules.ts'
import { forwardedFrom } from '../forward-rules.ts'
import { askedJoin, groupLink, waitingRequest } from '../group-link-endpoints.ts'
import { createdHook, dryRun, hook, hookOptions } from '../hook-objects.ts'
import { invite } from '../invite-endpoints.ts'
import { notice } from '../notices.ts'
import {
  apiError,
  bot,
  botCommand,
  button,
  chat,
  entity,
  file,
  member,
  mention,
  message,
  person,
  personProfile,
  poll,
  pollOption,
  reaction,
  reader,
  safetyNumber,
  usedInvite,
  webhookStatus,
} from '../objects.ts'
import { newCommand } from '../requests.ts'
import { apiToken, createdToken } from '../token-endpoints.ts'

/** `call_declined` becomes `CallDeclined`. */
const pascal = (name: string): string => name.replaceAll(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())

/** The objects of a union have their own names: without them a client has a single type with all their fields. */
const updateKinds = new Map(update.options.map(option => [option.shape.type.value, option]))
const noticeKinds = new Map(notice.options.map(option => [option.shape.code.value, option]))

const namedBy = (kinds: ReadonlyMap<string, z.ZodType>, suffix: string): Record<string, z.ZodType> =>
  Object.fromEntries([...kinds].map(([kind, schema]) => [`${pascal(kind)}${suffix}`, schema]))

/** The gateway's answers. The names `File` and `Error` would hide built-in types of client languages. */
export const answerSchemas: Readonly<Record<string, z.ZodType>> = {
  Person: person,
  Command: botCommand,
  Bot: bot,
  Invite: invite,
  GroupLink: groupLink,
  WaitingRequest: waitingRequest,
  AskedJoin: askedJoin,
  Member: member,
  Chat: chat,
  PersonProfile: personProfile,
  SafetyNumber: safetyNumber,
  Mention: mention,
  Entity: entity,
  Button: button,
  FileInfo: file,
  PollOption: pollOption,
  Poll: poll,
  Reaction: reaction,
  UsedInvite: usedInvite,
  Message: message,
  Notice: notice,
  ...namedBy(noticeKinds, 'Notice'),
  Update: update,
  ...namedBy(updateKinds, 'Update'),
  Deletion: deletion,
  ReactionChange: reactionChange,
  Press: press,
  Receipt: receipt,
  JoinRequest: joinRequest,
  Reader: reader,
  WebhookStatus: webhookStatus,
  Hook: hook,
  HookOptions: hookOptions,
  CreatedHook: createdHook,
  DryRun: dryRun,
  ApiToken: apiToken,
  CreatedToken: createdToken,
  ApiError: apiError,
  OpenapiDocument: endpoints.getOpenapi.answer,
}

/** The field that distinguishes the objects of a union, and the object for each of its values. */
export const discriminators = {
  Update: { propertyName: 'type', kinds: [...updateKinds.keys()], suffix: 'Update' },
  Notice: { propertyName: 'code', kinds: [...noticeKinds.keys()], suffix: 'Notice' },
} as const

export const kindName = (kind: string, suffix: string): string => `${pascal(kind)}${suffix}`

export const requestName = (endpoint: string): string => `${pascal(endpoint)}Request`

const rows = Object.entries(endpoints) as [string, Endpoint][]

/** The bodies that callers send. */
export const requestSchemas: Readonly<Record<string, z.ZodType>> = {
  NewMention: newMention,
  NewEntity: newEntity,
  NewButton: newButton,
  NewCommand: newCommand,
  ForwardedFrom: forwardedFrom,
  ...Object.fromEntries(rows.flatMap(([name, { body }]) => (body ? [[requestName(name), body]] : []))),
}

/** Forms become schemas once their file is added. */
export const forms: readonly (readonly [name: string, NonNullable<Endpoint['form']>])[] = rows.flatMap(
  ([name, { form }]) => (form ? [[requestName(name), form] as const] : []),
)

/** All other schemas of the table: parameters, the fields of forms, and answers, of which many are named above. */
export const namelessSchemas: readonly z.ZodType[] = rows.flatMap(([, { params, query, headers, form, answer }]) => [
  ...[params, query, headers].flatMap(part => Object.values(part?.shape ?? {}) as z.ZodType[]),
  ...(form ? [form.fields] : []),
  answer,
])
