// Schemas of the fields of contents: ids, keys, mentions and buttons, as strict as a receiver is with a sender.
import * as z from 'zod/mini'
import { fromBase64Url, toBase64Url } from '../bytes.ts'
import { isAccountId, isBlobId, isGroupId, isMessageId, isPressId, isSendId } from '../ids.ts'
import { contentLimits } from '../limits.ts'
import { buttonRowFault, buttonRowsFault, isButtonDataShort } from '../rules/button.ts'
import { readEntities } from '../rules/entities.ts'
import { mentionsCountFault } from '../rules/mentions.ts'
import { timerFault } from '../rules/timer.ts'
import { isLinkToken } from './invite-link.ts'
import { chars, keeping } from './lenient.ts'

const idOf = <Id extends string>(is: (text: string) => text is Id) =>
  z.custom<Id>(value => typeof value === 'string' && is(value))
const accountId = idOf(isAccountId)
export const messageId = idOf(isMessageId)
export const groupId = idOf(isGroupId)
export const sendId = idOf(isSendId)
export const blobId = idOf(isBlobId)
export const pressId = idOf(isPressId)
export const keyBytes = z.codec(
  z.string().check(z.length(43)),
  z.custom<Uint8Array>(value => value instanceof Uint8Array && value.length === 32),
  {
    decode: value => fromBase64Url(value) ?? new Uint8Array(0),
    encode: toBase64Url,
  },
)

export const linkToken = z.string().check(z.refine(isLinkToken))

export const count = z.int().check(z.gte(0))

/** The timer of one message. An absent field means forever, so 0 is not allowed. */
export const timerMs = z.int().check(z.gte(1), z.refine(keeping(timerFault)))

const buttonText = chars({ min: 1, max: contentLimits.buttonTextCharsMax })

const mention = z.object({
  user: accountId,
  offset: count,
  length: z.int().check(z.gte(1)),
})
export type Mention = z.infer<typeof mention>

/** A button of the first kind sends its data to the bot; one of the second kind opens an address. */
const button = z.union([
  z.strictObject({
    text: buttonText,
    data: z.string().check(z.refine(isButtonDataShort)),
  }),
  z.strictObject({
    text: buttonText,
    url: z.string().check(z.maxLength(contentLimits.buttonUrlUnitsMax), z.startsWith('https://')),
  }),
])
export type Button = z.infer<typeof button>
export const buttons = z
  .array(z.array(button).check(z.refine(keeping(buttonRowFault))))
  .check(z.refine(keeping(buttonRowsFault)))

const mentions = z.array(mention).check(z.refine(keeping(mentionsCountFault)))

/** Formatting never makes a text invalid: what a receiver does not understand is left out. */
const entities = z.pipe(z.unknown(), z.transform(readEntities))

/** Parts of a text. */
export const spans = { mentions: z.optional(mentions), entities: z.optional(entities) }
