// What is inside a ciphertext: versioned, checked when it is read, and kept whole when a newer client wrote it.
import { z } from 'zod'
import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from '../bytes.ts'
import { CodedError } from '../errors.ts'
import { isAccountId, isGroupId, isMessageId, isSendId } from '../ids.ts'
import { contentLimits } from '../limits.ts'
import { charCount } from '../text.ts'

export const CONTENT_VERSION = 1

const idOf = <Id extends string>(is: (text: string) => text is Id) =>
  z.custom<Id>(value => typeof value === 'string' && is(value))
const accountId = idOf(isAccountId)
const messageId = idOf(isMessageId)
const groupId = idOf(isGroupId)
const sendId = idOf(isSendId)
const chars = (max: number) => z.string().refine(value => charCount(value) <= max)
const keyBytes = z.codec(
  z.string().length(43),
  z.custom<Uint8Array>(value => value instanceof Uint8Array && value.length === 32),
  {
    decode: value => fromBase64Url(value) ?? new Uint8Array(0),
    encode: toBase64Url,
  },
)

const timerMs = z.int().min(1).max(contentLimits.timerMsMax)

const mention = z.object({
  user: accountId,
  offset: z.int().min(0),
  length: z.int().min(1),
})
export type Mention = z.infer<typeof mention>

const textBody = z.object({
  kind: z.literal('text'),
  text: chars(contentLimits.textCharsMax).min(1),
  replyTo: messageId.optional(),
  mentions: z.array(mention).max(contentLimits.mentionsMax).optional(),
  /** How long it is to be kept after it was read; absent: for ever. */
  timerMs: timerMs.optional(),
})

/** The words of the sender's own message, as they are now. */
const editBody = z.object({
  kind: z.literal('edit'),
  target: messageId,
  text: chars(contentLimits.textCharsMax).min(1),
  mentions: z.array(mention).max(contentLimits.mentionsMax).optional(),
})
/** The sender's own message is to be forgotten by everybody. */
const deleteBody = z.object({ kind: z.literal('delete'), target: messageId })
/** One emoji, or none to take it back. */
const reactionBody = z.object({ kind: z.literal('reaction'), target: messageId, emoji: z.string().max(64) })
/** To the author alone: everything up to these times has arrived, was read. */
const receiptBody = z.object({
  kind: z.literal('receipt'),
  deliveredTs: z.int().min(0),
  readTs: z.int().min(0),
})
const callBody = z.object({ kind: z.literal('call'), call: z.string().max(64), state: z.enum(['ringing', 'declined']) })

/** Says who one is without saying anything else. */
const helloBody = z.object({ kind: z.literal('hello') })
/** The sender's last word in a group: the next commit of a remaining member removes it. */
const leaveBody = z.object({ kind: z.literal('leave') })

/** Asks to be added to a group anew, by somebody whose keys to it are lost: said in private to another member. */
const rejoinBody = z.object({ kind: z.literal('rejoin'), group: groupId })

const knownBody = z.discriminatedUnion('kind', [
  textBody,
  editBody,
  deleteBody,
  reactionBody,
  receiptBody,
  callBody,
  helloBody,
  leaveBody,
  rejoinBody,
])
export type KnownBody = z.infer<typeof knownBody>
/** Written by a newer client: kept as it is, shown as something this version cannot show. */
export type UnknownBody = { kind: 'unknown'; raw: unknown }

/** How one is called and under which key one's profile can be read: with the first content in a group, and when somebody joins. */
const hello = z.object({
  name: chars(contentLimits.nameCharsMax),
  profileKey: keyBytes,
  /** The token of the invite link by which the sender came: for the link's owner alone. */
  token: z.string().max(64).optional(),
})
export type Hello = z.infer<typeof hello>

const envelope = z.object({
  v: z.int().min(1),
  send: sendId,
  profileVersion: z.int().min(0),
  hello: hello.optional(),
  body: z.looseObject({ kind: z.string().max(64) }),
})

export type Content = {
  send: z.infer<typeof sendId>
  /** The sender's profile as it stands: a higher one than known is fetched. */
  profileVersion: number
  hello?: Hello
  body: KnownBody | UnknownBody
}

export function encodeContent(content: Content & { body: KnownBody }): Uint8Array {
  const bytes = utf8(
    JSON.stringify({
      v: CONTENT_VERSION,
      send: content.send,
      profileVersion: content.profileVersion,
      ...(content.hello && { hello: z.encode(hello, content.hello) }),
      body: content.body,
    }),
  )
  if (bytes.length > contentLimits.contentBytesMax)
    throw new CodedError('too-large', { what: 'The message', max: contentLimits.contentBytesMax })
  return bytes
}

/** Undefined when it is no content at all: then the sender is faulty or hostile. */
export function decodeContent(bytes: Uint8Array): Content | undefined {
  if (bytes.length > contentLimits.contentBytesMax) return undefined
  const parsed = envelope.safeParse(parseJson(bytes))
  if (!parsed.success) return undefined
  const { send, profileVersion, hello: greeting, body: raw } = parsed.data
  const body = knownBody.safeParse(raw)
  const isKnownKind = knownBody.options.some(option => option.shape.kind.value === raw.kind)
  // A known kind that breaks its rules must not pass as something from the future.
  if (!body.success && isKnownKind && parsed.data.v === CONTENT_VERSION) return undefined
  return {
    send,
    profileVersion,
    ...(greeting && { hello: greeting }),
    body: body.success ? body.data : { kind: 'unknown', raw },
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(fromUtf8(bytes))
  } catch {
    return undefined
  }
}
