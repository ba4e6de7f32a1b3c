// An account's profile, sealed under its profile key: the relay sees neither the name nor the bot mark.
import * as z from 'zod/mini'
import { contentLimits } from '../limits.ts'
import { commandName, commandsCountFault } from '../rules/command.ts'
import { cleanLine } from '../rules/line.ts'
import { isSmallPictureUrl } from '../rules/picture.ts'
import { aboutRange } from '../rules/text.ts'
import { chars, keeping } from './lenient.ts'
import { readJson } from './read-json.ts'

export const command = z.object({
  name: z.string().check(z.regex(commandName)),
  description: chars({ min: 0, max: contentLimits.commandDescriptionCharsMax }),
  args: z.optional(chars({ min: 0, max: contentLimits.commandArgsCharsMax })),
})
export type Command = z.infer<typeof command>

export const profile = z.object({
  name: chars({ min: 1, max: contentLimits.nameCharsMax }),
  about: chars(aboutRange),
  bot: z.boolean(),
  commands: z.array(command).check(z.refine(keeping(commandsCountFault))),
  /** A data: URL of a small square picture. */
  avatar: z.optional(
    z
      .string()
      .check(
        z.maxLength(contentLimits.avatarBytesMax * 2),
        z.regex(/^data:image\/(jpeg|png|webp);base64,[A-Za-z0-9+/]+=*$/),
      ),
  ),
})
export type Profile = z.infer<typeof profile>

/**
 * Another account's profile in a form that can be shown, or undefined if it is invalid. An invisible name becomes an
 * empty one, and a picture that is too large is dropped.
 */
export function decodeProfile(bytes: Uint8Array): Profile | undefined {
  const read = profile.safeParse(readJson(bytes)).data
  if (!read) return undefined
  const { avatar, ...rest } = read
  return {
    ...rest,
    // Every screen with this person decodes it.
    ...(avatar !== undefined && isSmallPictureUrl(avatar) && { avatar }),
    name: cleanLine(read.name),
    commands: read.commands.map(({ name, description, args }) => ({
      name,
      description: cleanLine(description),
      ...(args !== undefined && { args: cleanLine(args) }),
    })),
  }
}
