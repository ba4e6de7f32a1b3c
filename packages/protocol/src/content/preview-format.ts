// The format of a preview: the words of a notification, sealed under a key of the chat's members, beside a message.
import { concatBytes, fromBase64Url, fromUtf8, utf8 } from '../bytes.ts'
import { type AccountId, bytesOf, type GroupId, isAccountId, isGroupId, isMessageId, type MessageId } from '../ids.ts'
import { contentLimits, wireLimits } from '../limits.ts'
import { cleanLine } from '../rules/line.ts'
import { firstSigns } from '../text.ts'

/** The words of a notification. `from`: in a group, the name by which the sender calls itself. */
export type MessagePreview = { text: string; from?: string }

/** A push as the relay sends it. The relay and the push service may have written anything. */
export type IncomingPush = {
  group: GroupId
  /** How many messages for attention have arrived in the chat since the device was last connected. */
  count: number
  attention: 'message' | 'mention'
  sender: AccountId
  /** The newest message, to which the preview belongs. */
  message: MessageId
  ts: number
  preview?: Uint8Array
}

/** The message that a preview is bound to: under another one it cannot be opened. */
type PreviewedMessage = { group: GroupId; sender: AccountId; message: MessageId }

/** The fields of a message that a notification shows. */
type NotifiedMessage = {
  text?: string | undefined
  poll?: { question: string } | undefined
  file?: { name: string } | undefined
}

/** The label of the key that members export from each epoch (RFC 9420, section 8.5). Its context is the group id. */
export const PREVIEW_LABEL = 'postern preview'
const VERSION = 1
const NONCE_AT = 9
const SEALED_AT = 21
const TAG_BYTES = 16
const PLAIN_BYTES_MAX = wireLimits.previewBytesMax - SEALED_AT - TAG_BYTES
const STEP = contentLimits.notifiedStepBytes
const PADDED_BYTES_MAX = PLAIN_BYTES_MAX - (PLAIN_BYTES_MAX % STEP)

/** Undefined when it is no push of this version. */
export function readPush(json: string): IncomingPush | undefined {
  const push = objectIn(json)
  if (push?.['v'] !== 1) return undefined
  const { group, count, attention, sender, message, ts, preview } = push
  if (!isText(group) || !isGroupId(group) || !isText(sender) || !isAccountId(sender)) return undefined
  if (!isText(message) || !isMessageId(message) || !isPositive(count) || !isPositive(ts)) return undefined
  if (attention !== 'message' && attention !== 'mention') return undefined
  const bytes = isText(preview) ? fromBase64Url(preview) : undefined
  return { group, count, attention, sender, message, ts, ...(bytes && { preview: bytes }) }
}

/** The words of a message's notification; empty if there are none. */
export const notifiedWords = ({ text, poll, file }: NotifiedMessage): string =>
  text ?? poll?.question ?? file?.name ?? ''

/** The plaintext of a message's preview. Undefined if there are no words. */
export function previewPlaintext(message: NotifiedMessage, from?: string): Uint8Array | undefined {
  const text = wordsFor(message, from)
  if (text === '') return undefined
  const bytes = utf8(jsonOf({ text, ...(from && { from }) }))
  const padded = new Uint8Array(Math.ceil(bytes.length / STEP) * STEP).fill(0x20)
  padded.set(bytes)
  return padded
}

/** Whether the preview says what the message says. The sender of a message can write another preview to it. */
export const isPreviewOf = ({ text, from }: MessagePreview, message: NotifiedMessage): boolean =>
  text === wordsFor(message, from)

/** The beginning of the words, short enough that the preview has its place beside the sender's name. */
function wordsFor(message: NotifiedMessage, from: string | undefined): string {
  const bytesMax = PADDED_BYTES_MAX - utf8(jsonOf({ text: '', ...(from && { from }) })).length
  return firstSigns(notifiedWords(message), { charsMax: contentLimits.notifiedCharsMax, bytesMax })
}

const jsonOf = (preview: MessagePreview): string => JSON.stringify(preview)

/** The additional data under which a preview is sealed. */
export const previewContext = ({ group, sender, message }: PreviewedMessage): Uint8Array =>
  concatBytes(utf8('postern preview v1'), bytesOf(group), bytesOf(sender), bytesOf(message))

type SealedPreview = { epoch: number; nonce: Uint8Array; sealed: Uint8Array }

export function encodePreview({ epoch, nonce, sealed }: SealedPreview): Uint8Array {
  const head = new Uint8Array(NONCE_AT)
  head[0] = VERSION
  new DataView(head.buffer).setBigUint64(1, BigInt(epoch))
  return concatBytes(head, nonce, sealed)
}

export function decodePreview(bytes: Uint8Array): SealedPreview | undefined {
  if (bytes[0] !== VERSION || bytes.length < SEALED_AT + TAG_BYTES || bytes.length > wireLimits.previewBytesMax)
    return undefined
  const epoch = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(1))
  return { epoch, nonce: bytes.slice(NONCE_AT, SEALED_AT), sealed: bytes.slice(SEALED_AT) }
}

/** A member of the chat wrote it, perhaps with a modified client. */
export function previewIn(plaintext: Uint8Array): MessagePreview | undefined {
  const said = objectIn(fromUtf8(plaintext))
  const text = isText(said?.['text']) ? said['text'].toWellFormed() : ''
  if (text === '') return undefined
  const from = isText(said?.['from']) ? cleanLine(said['from']) : ''
  return { text, ...(from && { from }) }
}

function objectIn(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isPositive = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
