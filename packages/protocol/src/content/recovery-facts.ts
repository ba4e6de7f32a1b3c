// The data from which a lost account is restored: its keys, contacts and chats. Never the text of a message.
import * as z from 'zod/mini'
import { fromBase64Url, utf8 } from '../bytes.ts'
import { CodedError } from '../errors.ts'
import { type AccountId, type ChatId, type GroupId, isAccountId, isGroupId } from '../ids.ts'
import { contentLimits, recoveryLimits } from '../limits.ts'
import { timerFault } from '../rules/timer.ts'
import { keeping } from './lenient.ts'
import { profile } from './profile.ts'
import { readJson } from './read-json.ts'

const accountId = z.custom<AccountId>(value => typeof value === 'string' && isAccountId(value))
const groupId = z.custom<GroupId>(value => typeof value === 'string' && isGroupId(value))
const chatId = z.custom<ChatId>(value => typeof value === 'string' && (isAccountId(value) || isGroupId(value)))
/** 32 bytes, in base64url. */
const key = z.string().check(z.refine(value => fromBase64Url(value)?.length === 32))
const count = z.int().check(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER))
const generation = z.int().check(z.gte(0), z.lte(contentLimits.generationMax))
const words = z.string().check(z.maxLength(recoveryLimits.wordsUnitsMax))
const relayUrl = z.string().check(
  z.maxLength(recoveryLimits.wordsUnitsMax),
  z.refine(value => /^(https?|wss?):$/.test(protocolOf(value))),
)

const protocolOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : '')

const person = z.object({
  id: accountId,
  name: words,
  bot: z.boolean(),
  profileKey: z.optional(key),
  /** The highest profile version that the account has announced: an older one is not accepted. */
  profileFloor: count,
  deviceKey: z.optional(key),
  /**
   * The serial of the newest certificate seen for that device: a certificate for another device with a lower serial is
   * revoked.
   */
  deviceSerial: z.optional(count),
  byLink: z.boolean(),
  accepted: z.boolean(),
  blocked: z.boolean(),
  verified: z.boolean(),
})

const group = z.object({ id: groupId, generation, inviter: accountId })

const chat = z
  .object({
    id: chatId,
    type: z.enum(['private', 'group']),
    state: z.enum(['active', 'request', 'left']),
    /** Whether the chat is shown to people. */
    visible: z.boolean(),
    title: words,
    timerMs: z.int().check(z.refine(keeping(timerFault))),
    firstSeenTs: count,
    /** The first is the one to write in. They tell which chat an entry at the relay belongs to. */
    groups: z.array(group).check(z.minLength(1), z.maxLength(recoveryLimits.groupsPerChatMax)),
    members: z.array(z.object({ id: accountId, admin: z.boolean() })).check(z.maxLength(contentLimits.groupMembersMax)),
  })
  .check(z.refine(({ id, type }) => isAccountId(id) === (type === 'private')))

const isEachOnce = (ids: readonly string[]): boolean => new Set(ids).size === ids.length

const facts = z
  .object({
    v: z.literal(1),
    madeMs: count,
    relayUrl,
    account: z.object({ secretKey: key, publicKey: key, serial: count }),
    profile: z.object({ key, version: count, value: profile }),
    inviteToken: words.check(z.minLength(1)),
    people: z.array(person).check(z.maxLength(recoveryLimits.peopleMax)),
    chats: z.array(chat).check(z.maxLength(recoveryLimits.chatsMax)),
  })
  .check(
    z.refine(({ chats }) => isEachOnce(chats.map(one => one.id))),
    z.refine(({ chats }) => isEachOnce(chats.flatMap(one => one.groups.map(({ id }) => id)))),
  )

/** Their holder is the account, so they leave the client only sealed (`sealFile` of core). */
export type RecoveryFacts = z.infer<typeof facts>
export type KnownPersonFacts = z.infer<typeof person>
export type ChatFacts = z.infer<typeof chat>

export const encodeRecoveryFacts = (value: RecoveryFacts): Uint8Array => utf8(JSON.stringify(checkRecoveryFacts(value)))

export const decodeRecoveryFacts = (bytes: Uint8Array): RecoveryFacts => checkRecoveryFacts(readJson(bytes))

/** Throws `recovery-newer` or `recovery-damaged`: a partial restore would create half an account. */
export function checkRecoveryFacts(value: unknown): RecoveryFacts {
  const { v } = z.object({ v: z.int() }).safeParse(value).data ?? { v: 0 }
  if (v > 1) throw new CodedError('recovery-newer')
  const read = facts.safeParse(value)
  if (read.data) return read.data
  const [issue] = read.error.issues
  // Names the path and never the value: it may be a key.
  throw new CodedError('recovery-damaged', { why: `${issue?.path.join('.') || 'the whole'} is not what it should be` })
}
