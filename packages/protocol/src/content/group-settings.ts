// What all members of a group agree on: carried in the MLS group context, so that a joiner gets it with the welcome.
import { z } from 'zod'
import { fromUtf8, utf8 } from '../bytes.ts'
import { type AccountId, isAccountId } from '../ids.ts'
import { contentLimits } from '../limits.ts'
import { charCount } from '../text.ts'

const accountId = z.custom<AccountId>(value => typeof value === 'string' && isAccountId(value))

const privateSettings = z.object({
  v: z.literal(1),
  type: z.literal('private'),
  /** Of two groups for one private chat the higher generation wins; healing makes the next. */
  generation: z.int().min(0),
  timerMs: z.int().min(0),
})
const groupSettings = z.object({
  v: z.literal(1),
  type: z.literal('group'),
  title: z.string().refine(value => charCount(value) >= 1 && charCount(value) <= contentLimits.groupNameCharsMax),
  admins: z.array(accountId).max(contentLimits.groupMembersMax),
  timerMs: z.int().min(0),
})

const settings = z.discriminatedUnion('type', [privateSettings, groupSettings])
export type GroupSettings = z.infer<typeof settings>

export const encodeGroupSettings = (value: GroupSettings): Uint8Array => utf8(JSON.stringify(settings.parse(value)))

/** Undefined when a member wrote settings that no client of ours would. */
export function decodeGroupSettings(bytes: Uint8Array): GroupSettings | undefined {
  try {
    return settings.safeParse(JSON.parse(fromUtf8(bytes))).data
  } catch {
    return undefined
  }
}
