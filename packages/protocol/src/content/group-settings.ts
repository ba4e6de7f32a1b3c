// The settings that all members of a group share. They are in the MLS group context, so that a joiner gets them with the welcome.
import * as z from 'zod/mini'
import { type AccountId, type ChatId, type GroupId, isAccountId, isGroupId } from '../ids.ts'
import { contentLimits } from '../limits.ts'
import { groupPictureUrlFault } from '../rules/picture.ts'
import { timerFault } from '../rules/timer.ts'
import { chars, keeping } from './lenient.ts'
import { encodePaddedJson } from './padded-json.ts'
import { readJson } from './read-json.ts'

const accountId = z.custom<AccountId>(value => typeof value === 'string' && isAccountId(value))
/** Shaped like a group's id, so it can never be mistaken for a private chat. */
const groupChat = z.custom<ChatId>(value => typeof value === 'string' && isGroupId(value))
const generation = z.int().check(z.gte(0), z.lte(contentLimits.generationMax))
const pictureUrl = z.string().check(z.refine(keeping(groupPictureUrlFault)))
const timerMs = z.int().check(z.refine(keeping(timerFault)))

const privateSettings = z.object({
  v: z.literal(1),
  type: z.literal('private'),
  /** If a private chat has two groups, the higher generation wins; healing creates the next one. */
  generation,
  timerMs,
})
const groupSettings = z.object({
  v: z.literal(1),
  type: z.literal('group'),
  title: chars({ min: 1, max: contentLimits.groupNameCharsMax }),
  /** Each account once: with duplicates, the settings would never equal the previous ones. */
  admins: z.array(accountId).check(
    z.maxLength(contentLimits.groupMembersMax),
    z.refine(value => new Set(value).size === value.length),
  ),
  timerMs,
  /**
   * A data: URL; null once it was removed. Absent: unchanged, as clients that do not know the setting leave it out. One
   * that we do not accept is no reason to end the group, and counts as absent.
   */
  // oxlint-disable-next-line promise/valid-params -- a schema with a fallback, and no promise
  picture: z.optional(z.catch(z.optional(z.nullable(pictureUrl)), undefined)),
  /** Above 0 if it continues a chat whose group was killed or whose keys all members lost. */
  generation: z._default(generation, 0),
  /** The chat that it continues; the first group of a chat gives the chat its id. */
  chat: z.optional(groupChat),
  /** The maker of a group that carries a chat on: all members decide alike between two, even if others welcomed them. */
  maker: z.optional(accountId),
  /** The maker's knowledge of the chat: a member that was added later was not left out on purpose. */
  continues: z.optional(
    z.object({
      group: z.custom<GroupId>(value => typeof value === 'string' && isGroupId(value)),
      generation,
      epoch: z.int().check(z.gte(0)),
    }),
  ),
})

const settings = z.discriminatedUnion('type', [privateSettings, groupSettings])
export type GroupSettings = z.infer<typeof settings>

/** Padded: settings are part of commits, and of welcomes, which MLS does not pad. */
export const encodeGroupSettings = (value: GroupSettings): Uint8Array => encodePaddedJson(settings.parse(value))

/** Undefined when a member wrote settings that no client of ours would. */
export const decodeGroupSettings = (bytes: Uint8Array): GroupSettings | undefined =>
  settings.safeParse(readJson(bytes)).data
