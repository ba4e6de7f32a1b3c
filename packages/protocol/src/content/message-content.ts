// What is inside a ciphertext: versioned, checked when it is read, and kept whole when a newer client wrote it.
import { z } from 'zod'
import { fromBase64Url, toBase64Url, utf8 } from '../bytes.ts'
import { CodedError } from '../errors.ts'
import { isAccountId, isBlobId, isGroupId, isMessageId, isPressId, isSendId } from '../ids.ts'
import { contentLimits } from '../limits.ts'
import { buttonRowFault, buttonRowsFault, isButtonDataShort } from '../rules/button.ts'
import { mentionsCountFault } from '../rules/mentions.ts'
import { optionsCountFault } from '../rules/poll.ts'
import { captionRange, HALF_RULE, textRange, toastRange } from '../rules/text.ts'
import { timerFault } from '../rules/timer.ts'
import { chars, keeping } from './lenient.ts'
import { readJson } from './read-json.ts'

export const CONTENT_VERSION = 1

const idOf = <Id extends string>(is: (text: string) => text is Id) =>
  z.custom<Id>(value => typeof value === 'string' && is(value))
const accountId = idOf(isAccountId)
const messageId = idOf(isMessageId)
const groupId = idOf(isGroupId)
const sendId = idOf(isSendId)
const blobId = idOf(isBlobId)
const pressId = idOf(isPressId)
const keyBytes = z.codec(
  z.string().length(43),
  z.custom<Uint8Array>(value => value instanceof Uint8Array && value.length === 32),
  {
    decode: value => fromBase64Url(value) ?? new Uint8Array(0),
    encode: toBase64Url,
  },
)

/** Of one message: 0, for ever, is said by its absence. */
const timerMs = z.int().min(1).refine(keeping(timerFault))

const buttonText = chars({ min: 1, max: contentLimits.buttonTextCharsMax })

const mention = z.object({
  user: accountId,
  offset: z.int().min(0),
  length: z.int().min(1),
})
export type Mention = z.infer<typeof mention>

/** Pressed, the first kind tells the bot its data; the second opens an address. */
const button = z.union([
  z.strictObject({
    text: buttonText,
    data: z.string().refine(isButtonDataShort),
  }),
  z.strictObject({ text: buttonText, url: z.string().max(contentLimits.buttonUrlUnitsMax).startsWith('https://') }),
])
export type Button = z.infer<typeof button>
const buttons = z.array(z.array(button).refine(keeping(buttonRowFault))).refine(keeping(buttonRowsFault))

const mentions = z.array(mention).refine(keeping(mentionsCountFault))

/** What every kind of message may carry. */
const messageFields = {
  replyTo: messageId.optional(),
  /** How long it is to be kept after it was read; absent: for ever. */
  timerMs: timerMs.optional(),
}

const textBody = z.object({
  kind: z.literal('text'),
  text: chars(textRange),
  mentions: mentions.optional(),
  buttons: buttons.optional(),
  ...messageFields,
})

const pixels = z.int().min(1).max(contentLimits.pixelsPerSideMax)

/** A file: where its ciphertext is, the key to it, and what is shown of it before it is fetched. */
const fileBody = z.object({
  kind: z.literal('file'),
  blob: blobId,
  /** Base64url. Whoever has it can read the blob, and forge one: that is why there is a digest. */
  key: z.string().length(43),
  /** SHA-256 of the whole ciphertext, base64url. */
  digest: z.string().length(43),
  /** Of the file itself, in bytes. */
  size: z.int().min(0).max(contentLimits.fileBytesMax),
  name: chars({ min: 1, max: contentLimits.fileNameCharsMax }),
  type: z.string().regex(/^[\w.+-]{1,64}\/[\w.+-]{1,64}$/),
  shownAs: z.enum(['photo', 'video', 'voice', 'file']),
  width: pixels.optional(),
  height: pixels.optional(),
  durationMs: z.int().min(0).max(contentLimits.durationMsMax).optional(),
  preview: z
    .string()
    .max(contentLimits.previewUrlUnitsMax)
    .regex(/^data:image\/(jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/)
    .optional(),
  /** The caption. */
  text: chars(textRange).optional(),
  mentions: mentions.optional(),
  buttons: buttons.optional(),
  ...messageFields,
})
export type FileBody = z.infer<typeof fileBody>

const pollBody = z.object({
  kind: z.literal('poll'),
  question: chars({ min: 1, max: contentLimits.pollQuestionCharsMax }),
  options: z.array(chars({ min: 1, max: contentLimits.pollOptionCharsMax })).refine(keeping(optionsCountFault)),
  multiple: z.boolean(),
  /** By the relay's clock: what is voted from then on does not count. */
  closeTs: z.int().min(1).optional(),
  ...messageFields,
})
export type PollBody = z.infer<typeof pollBody>

/** All that the sender chooses now; nothing takes the vote back. */
const voteBody = z.object({
  kind: z.literal('vote'),
  target: messageId,
  options: z
    .array(
      z
        .int()
        .min(0)
        .max(contentLimits.pollOptionsMax - 1),
    )
    .max(contentLimits.pollOptionsMax)
    .refine(options => new Set(options).size === options.length),
})
/** By the poll's sender: what is voted after this does not count. */
const closeBody = z.object({ kind: z.literal('close'), target: messageId })

/** To the bot alone: which button of its message was pressed. The id stays when a press is sent again. */
const pressBody = z.object({
  kind: z.literal('press'),
  press: pressId,
  target: messageId,
  /** In units and not in bytes: what nobody offered is passed over, and is no fault of the content. */
  data: z.string().max(contentLimits.buttonDataBytesMax),
})
/** To the presser alone. */
const toastBody = z.object({ kind: z.literal('toast'), press: pressId, text: chars(toastRange) })

/** The sender's own message as it is now; what is absent stays. */
const editBody = z.object({
  kind: z.literal('edit'),
  target: messageId,
  /** Empty takes the caption of a file away. With a text, absent mentions are none. */
  text: chars(captionRange).optional(),
  mentions: mentions.optional(),
  /** None take the buttons away. */
  buttons: buttons.optional(),
})
/** The sender's own message is to be forgotten by everybody. */
const deleteBody = z.object({ kind: z.literal('delete'), target: messageId })
/** One emoji, or none to take it back. */
const reactionBody = z.object({
  kind: z.literal('reaction'),
  target: messageId,
  emoji: z.string().max(contentLimits.emojiUnitsMax),
})
/** What the sender has in common with all who are in that epoch of a group with it. */
const epochMark = z.object({ group: groupId, epoch: z.int().min(0), mark: z.string().length(22) })

/** To the author alone: everything up to these times has arrived, was read. */
const receiptBody = z.object({
  kind: z.literal('receipt'),
  deliveredTs: z.int().min(0),
  readTs: z.int().min(0),
  /** In a private chat: of groups that the two share, so that a relay cannot show them two histories for long. */
  marks: z.array(epochMark).max(contentLimits.marksPerReceiptMax).optional(),
})
const callBody = z.object({ kind: z.literal('call'), call: z.string().max(64), state: z.enum(['ringing', 'declined']) })

/** Says who one is without saying anything else. */
const helloBody = z.object({ kind: z.literal('hello') })
/** The sender's last word in a group: the next commit of a remaining member removes it. */
const leaveBody = z.object({
  kind: z.literal('leave'),
  /** By which anybody may remove the sender: its leaf's signature, base64url. It is made when the word is encrypted. */
  proof: z.string().length(86).optional(),
})

/** Asks to be added to a group anew, by somebody whose keys to it are lost: said in private to another member. */
const rejoinBody = z.object({ kind: z.literal('rejoin'), group: groupId })

/** Said in private to another member of a group, who is asked for its own. */
const compareBody = epochMark.extend({ kind: z.literal('compare') })

const knownBody = z.discriminatedUnion('kind', [
  textBody,
  fileBody,
  pollBody,
  voteBody,
  closeBody,
  pressBody,
  toastBody,
  editBody,
  deleteBody,
  reactionBody,
  receiptBody,
  callBody,
  helloBody,
  leaveBody,
  rejoinBody,
  compareBody,
])
export type KnownBody = z.infer<typeof knownBody>
/** Written by a newer client: kept as it is, shown as something this version cannot show. */
export type UnknownBody = { kind: 'unknown'; raw: unknown }

/** How one is called and under which key one's profile can be read: with the first content in a group, and when somebody joins. */
const hello = z.object({
  name: chars({ min: 0, max: contentLimits.nameCharsMax }),
  profileKey: keyBytes,
  /** The token of the invite link by which the sender came: for the link's owner alone. */
  token: z.string().max(64).optional(),
})
export type Hello = z.infer<typeof hello>

/** Of the sender's own messages in this epoch: those that are in no log, and those of which it does not know yet. */
const unsent = z.object({ gaveUp: z.int().min(0), waiting: z.int().min(0) })
export type Unsent = z.infer<typeof unsent>

const envelope = z.object({
  v: z.int().min(1),
  send: sendId,
  profileVersion: z.int().min(0),
  hello: hello.optional(),
  unsent: unsent.optional(),
  body: z.looseObject({ kind: z.string().max(64) }),
})

export type Content = {
  send: z.infer<typeof sendId>
  /** The sender's profile as it stands: a higher one than known is fetched. */
  profileVersion: number
  hello?: Hello
  /** Absent when there are none. */
  unsent?: Unsent
  body: KnownBody | UnknownBody
}

/** Throws on a body that others would pass over: it would count as sent, and nobody would ever see it. */
export function encodeContent(content: Content & { body: KnownBody }): Uint8Array {
  const issue = knownBody.safeParse(content.body).error?.issues[0]
  if (issue)
    throw new CodedError('bad-field', { field: issue.path.join('.') || 'body', rule: 'this value is not allowed' })
  const bytes = utf8(
    JSON.stringify(
      {
        v: CONTENT_VERSION,
        send: content.send,
        profileVersion: content.profileVersion,
        ...(content.hello && { hello: z.encode(hello, content.hello) }),
        ...(content.unsent && { unsent: content.unsent }),
        body: content.body,
      },
      wholeSigns,
    ),
  )
  if (bytes.length > contentLimits.contentBytesMax)
    throw new CodedError('too-large', { what: 'The message', max: contentLimits.contentBytesMax })
  return bytes
}

/** Undefined when it is no content at all: then the sender is faulty or hostile. */
export function decodeContent(bytes: Uint8Array): Content | undefined {
  if (bytes.length > contentLimits.contentBytesMax) return undefined
  const parsed = envelope.safeParse(readJson(bytes))
  if (!parsed.success) return undefined
  const { send, profileVersion, hello: greeting, unsent: gap, body: raw } = parsed.data
  const body = knownBody.safeParse(raw)
  const isKnownKind = knownBody.options.some(option => option.shape.kind.value === raw.kind)
  // A known kind that breaks its rules must not pass as something from the future.
  if (!body.success && isKnownKind && parsed.data.v === CONTENT_VERSION) return undefined
  return {
    send,
    profileVersion,
    ...(greeting && { hello: greeting }),
    ...(gap && { unsent: gap }),
    body: body.success ? body.data : { kind: 'unknown', raw },
  }
}

/** The others would read another text than was written. */
function wholeSigns(field: string, value: unknown): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) throw new CodedError('bad-field', { field, rule: HALF_RULE })
  return value
}
