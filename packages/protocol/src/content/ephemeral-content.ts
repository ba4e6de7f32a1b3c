// The contents that need not arrive and are stored nowhere.
import * as z from 'zod/mini'
import { utf8 } from '../bytes.ts'
import { contentLimits } from '../limits.ts'
import { count } from './content-fields.ts'
import { readJson } from './read-json.ts'

const EPHEMERAL_CONTENT_VERSION = 1

const typingBody = z.object({ kind: z.literal('typing') })

const unitsMax = 2 * contentLimits.textCharsMax
/** The text of a message that its sender is still making: the end of it, from a place in UTF-16 units. */
const draftPart = z.object({
  at: z.int().check(z.gte(0), z.lte(unitsMax)),
  text: z.string().check(z.minLength(1), z.maxLength(unitsMax)),
  /** Its marks are shown as formatting. */
  markdown: z.optional(z.boolean()),
})
export type DraftPart = z.infer<typeof draftPart>
const draftBody = z.extend(draftPart, { kind: z.literal('draft') })

const ephemeralContent = z.object({
  v: z.literal(EPHEMERAL_CONTENT_VERSION),
  /** When it was sent, by the relay's clock: a relay can hold it back, and it is of use only for seconds. */
  ts: count,
  body: z.discriminatedUnion('kind', [typingBody, draftBody]),
})
export type EphemeralContent = Pick<z.infer<typeof ephemeralContent>, 'ts' | 'body'>

export const encodeEphemeral = ({ ts, body }: EphemeralContent): Uint8Array =>
  utf8(JSON.stringify({ v: EPHEMERAL_CONTENT_VERSION, ts, body }))

/** Undefined for everything else, including kinds of newer clients: there is nothing to keep for later. */
export const decodeEphemeral = (bytes: Uint8Array): EphemeralContent | undefined =>
  ephemeralContent.safeParse(readJson(bytes)).data
