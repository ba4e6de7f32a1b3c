// The plaintext of a message: versioned, checked when it is read, and kept whole when a newer client wrote it.
import * as z from 'zod/mini'
import { utf8 } from '../bytes.ts'
import { CodedError } from '../errors.ts'
import { contentLimits } from '../limits.ts'
import { optionsCountFault } from '../rules/poll.ts'
import { captionRange, HALF_RULE, textRange, toastRange } from '../rules/text.ts'
import { compareBody, epochMark, joinAnswerBody, joinAskBody, rejoinBody } from './between-clients.ts'
import { blobId, buttons, count, keyBytes, messageId, pressId, sendId, spans, timerMs } from './content-fields.ts'
import { chars, keeping } from './lenient.ts'
import { isPlainText, plainContent } from './plain-content.ts'
import { escapedSurrogate, readJson } from './read-json.ts'

export const CONTENT_VERSION = 1

/** Fields that every kind of message may carry. */
const messageFields = {
  replyTo: z.optional(messageId),
  /** How long it is kept after it was read; absent means forever. */
  timerMs: z.optional(timerMs),
  buttons: z.optional(buttons),
  /** The sender wants nobody to be notified. */
  silent: z.optional(z.boolean()),
}

/** The sender passes on a message of another chat. It does not say whose: that chat is nobody's business here. */
const forwarded = z.optional(z.boolean())

const textBody = z.object({
  kind: z.literal('text'),
  text: chars(textRange),
  ...spans,
  forwarded,
  ...messageFields,
})

const waveForm = new RegExp(`^[\\w-]{1,${contentLimits.waveBarsMax}}$`)
const pixels = z.int().check(z.gte(1), z.lte(contentLimits.pixelsPerSideMax))

/** A file: where its ciphertext is, its key, and the details that are shown before it is fetched. */
const fileBody = z.object({
  kind: z.literal('file'),
  blob: blobId,
  /** Base64url. The key lets its holder read the blob and also forge one, which is why there is a digest. */
  key: z.string().check(z.length(43)),
  /** SHA-256 of the whole ciphertext, base64url. */
  digest: z.string().check(z.length(43)),
  /** Size of the plaintext, in bytes. */
  size: z.int().check(z.gte(0), z.lte(contentLimits.fileBytesMax)),
  name: chars({ min: 1, max: contentLimits.fileNameCharsMax }),
  type: z.string().check(z.regex(/^[\w.+-]{1,64}\/[\w.+-]{1,64}$/)),
  shownAs: z.enum(['photo', 'video', 'voice', 'file']),
  width: z.optional(pixels),
  height: z.optional(pixels),
  durationMs: z.optional(z.int().check(z.gte(0), z.lte(contentLimits.durationMsMax))),
  preview: z.optional(
    z
      .string()
      .check(
        z.maxLength(contentLimits.previewUrlUnitsMax),
        z.regex(/^data:image\/(jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/),
      ),
  ),
  /**
   * Files of one sender with the same id were sent together. An invalid id is ignored: a receiver that does not
   * understand it shows a single one.
   */
  // oxlint-disable-next-line promise/valid-params -- a schema with a fallback, and no promise
  album: z.optional(z.catch(z.optional(z.string().check(z.regex(/^[\w-]{16,36}$/))), undefined)),
  /** How loud a voice message is, from its beginning to its end: a character of base64url for each bar. */
  // oxlint-disable-next-line promise/valid-params -- a schema with a fallback, and no promise
  wave: z.optional(z.catch(z.optional(z.string().check(z.regex(waveForm))), undefined)),
  /** The caption. */
  text: z.optional(chars(textRange)),
  ...spans,
  forwarded,
  ...messageFields,
})
export type FileBody = z.infer<typeof fileBody>

const pollBody = z.object({
  kind: z.literal('poll'),
  question: chars({ min: 1, max: contentLimits.pollQuestionCharsMax }),
  options: z
    .array(chars({ min: 1, max: contentLimits.pollOptionCharsMax }))
    .check(z.refine(keeping(optionsCountFault))),
  multiple: z.boolean(),
  /** By the relay's clock. Later votes do not count. */
  closeTs: z.optional(z.int().check(z.gte(1))),
  /** Their positions are in the question. */
  mentions: spans.mentions,
  ...messageFields,
})
export type PollBody = z.infer<typeof pollBody>

/** All options that the sender chooses now; an empty list withdraws the vote. */
const voteBody = z.object({
  kind: z.literal('vote'),
  target: messageId,
  options: z.array(z.int().check(z.gte(0), z.lte(contentLimits.pollOptionsMax - 1))).check(
    z.maxLength(contentLimits.pollOptionsMax),
    z.refine(options => new Set(options).size === options.length),
  ),
})
/** By the poll's sender. Later votes do not count. */
const closeBody = z.object({ kind: z.literal('close'), target: messageId })

/** To the bot alone: which button of its message was pressed. The id stays the same when a press is sent again. */
const pressBody = z.object({
  kind: z.literal('press'),
  press: pressId,
  target: messageId,
  /** Counted in units, not bytes: data that nobody offered is ignored and does not make the content invalid. */
  data: z.string().check(z.maxLength(contentLimits.buttonDataBytesMax)),
})
/** To the presser alone. */
const toastBody = z.object({ kind: z.literal('toast'), press: pressId, text: chars(toastRange) })

/** The sender's own message in its new form; absent fields stay unchanged. */
const editBody = z.object({
  kind: z.literal('edit'),
  target: messageId,
  /** An empty text removes the caption of a file. With a text, absent mentions and entities mean none. */
  text: z.optional(chars(captionRange)),
  ...spans,
  /** An empty list removes the buttons. */
  buttons: z.optional(buttons),
})
/** Everybody deletes this message of the sender. */
const deleteBody = z.object({ kind: z.literal('delete'), target: messageId })
/** One emoji; without one, the reaction is withdrawn. */
const reactionBody = z.object({
  kind: z.literal('reaction'),
  target: messageId,
  emoji: z.string().check(z.maxLength(contentLimits.emojiUnitsMax)),
})
/** To the author alone: everything up to these times has arrived, or was read. */
const receiptBody = z.object({
  kind: z.literal('receipt'),
  deliveredTs: count,
  readTs: count,
  /** In a private chat: marks of groups that both are in, so that a relay cannot show them two histories for long. */
  marks: z.optional(z.array(epochMark).check(z.maxLength(contentLimits.marksPerReceiptMax))),
})
const callBody = z.object({
  kind: z.literal('call'),
  call: z.string().check(z.maxLength(64)),
  state: z.enum(['ringing', 'declined']),
})

/** Introduces the sender without any other content. */
const helloBody = z.object({ kind: z.literal('hello') })
/** The sender's last message in a group: the next commit of a remaining member removes the sender. */
const leaveBody = z.object({
  kind: z.literal('leave'),
  /**
   * Allows any member to remove the sender: the signature of its leaf, base64url. It is made when the message is
   * encrypted.
   */
  proof: z.optional(z.string().check(z.length(86))),
})

const knownBodies = [
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
  joinAskBody,
  joinAnswerBody,
] as const
const knownBody = z.discriminatedUnion('kind', knownBodies)
const knownKinds = new Set<string>(knownBodies.flatMap(({ shape }) => shape.kind.def.values))
export type KnownBody = z.infer<typeof knownBody>
/** Written by a newer client: kept as it is, shown as something this version cannot show. */
export type UnknownBody = { kind: 'unknown'; raw: unknown }

/** The sender's name and profile key: part of the first content in a group, and sent again when somebody joins. */
const hello = z.object({
  name: chars({ min: 0, max: contentLimits.nameCharsMax }),
  profileKey: keyBytes,
  /** The token of the invite link by which the sender came: for the link's owner alone. */
  token: z.optional(z.string().check(z.maxLength(64))),
  /** The sender wants the words of messages in this chat for its notifications. */
  previews: z.optional(z.boolean()),
})
export type Hello = z.infer<typeof hello>

/** Counts of the sender's own messages in this epoch: those that are in no log, and those whose fate is still unknown. */
const unsent = z.object({ gaveUp: count, waiting: count })
export type Unsent = z.infer<typeof unsent>

const envelope = z.object({
  v: z.int().check(z.gte(1)),
  send: sendId,
  profileVersion: count,
  hello: z.optional(hello),
  unsent: z.optional(unsent),
  body: z.looseObject({ kind: z.string().check(z.maxLength(64)) }),
})

export type Content = {
  send: z.infer<typeof sendId>
  /** The sender's current profile version; receivers fetch a version that is higher than the one they know. */
  profileVersion: number
  hello?: Hello
  /** Absent when there are none. */
  unsent?: Unsent
  body: KnownBody | UnknownBody
}

/** Throws on a body that receivers would ignore: it would count as sent, and nobody would ever see it. */
export function encodeContent(content: Content & { body: KnownBody }): Uint8Array {
  assertBody(content.body)
  const bytes = utf8(
    jsonOf({
      v: CONTENT_VERSION,
      send: content.send,
      profileVersion: content.profileVersion,
      ...(content.hello && { hello: z.encode(hello, content.hello) }),
      ...(content.unsent && { unsent: content.unsent }),
      body: content.body,
    }),
  )
  if (bytes.length > contentLimits.contentBytesMax)
    throw new CodedError('too-large', { what: 'The message', max: contentLimits.contentBytesMax })
  return bytes
}

function assertBody(body: KnownBody): void {
  if (isPlainText(body)) return
  const issue = knownBody.safeParse(body).error?.issues[0]
  if (issue)
    throw new CodedError('bad-field', {
      field: issue.path.join('.') || 'body',
      rule: 'has a value that is not allowed',
    })
}

/** Undefined when it is not a content at all: the sender is faulty or hostile. */
export function decodeContent(bytes: Uint8Array): Content | undefined {
  if (bytes.length > contentLimits.contentBytesMax) return undefined
  const json = readJson(bytes)
  const plain = plainContent(json, CONTENT_VERSION)
  if (plain) return plain
  const parsed = envelope.safeParse(json)
  if (!parsed.success) return undefined
  const { send, profileVersion, hello: greeting, unsent: gap, body: raw } = parsed.data
  const body = knownBody.safeParse(raw)
  // A known kind that breaks its rules must not pass as something from the future.
  if (!body.success && knownKinds.has(raw.kind) && parsed.data.v === CONTENT_VERSION) return undefined
  return {
    send,
    profileVersion,
    ...(greeting && { hello: greeting }),
    ...(gap && { unsent: gap }),
    body: body.success ? body.data : { kind: 'unknown', raw },
  }
}

/** Throws where receivers would read another text than was written. */
function jsonOf(content: object): string {
  const json = JSON.stringify(content)
  // JSON escapes half of a pair, so only a text with such an escape is checked value by value: somebody may have typed
  // the escape.
  return escapedSurrogate.test(json) ? JSON.stringify(content, wholeSigns) : json
}

function wholeSigns(field: string, value: unknown): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) throw new CodedError('bad-field', { field, rule: HALF_RULE })
  return value
}
