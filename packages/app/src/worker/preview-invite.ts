// The inviter, before there is an account: the relay hands out the sealed profile, and the link contains its key.
import { openInvited } from '@postern/core'
import { isCoded, logFault } from '@postern/protocol'
import { type Invite, isGroupLink, type Profile, parseGroupLink, parseInvite } from '@postern/protocol/content'
import type { AppCallAnswer } from '../contract/calls.ts'
import type { WorkerPlatform } from './platform.ts'

/** The name is empty when the relay has no profile, or one that the account did not write. Throws `relay-unreachable`. */
export async function previewInvite(platform: WorkerPlatform, link: string): Promise<AppCallAnswer<'previewInvite'>> {
  const group = isGroupLink(link) ? parseGroupLink(link) : undefined
  const invite = group ?? parseInvite(link)
  const { name, about, bot, avatar } = (await profileBehind(platform, invite)) ?? { name: '', about: '', bot: false }
  const shown = { account: invite.account, name, about, bot, ...(avatar !== undefined && { avatar }) }
  return { ...shown, ...(group && { group: group.title }) }
}

type InvitingProfile = Pick<Profile, 'name' | 'about' | 'bot' | 'avatar'>

async function profileBehind(
  platform: WorkerPlatform,
  { account, profileKey }: Invite,
): Promise<InvitingProfile | undefined> {
  try {
    const answer = await platform.fetchProfile(account)
    return answer && (await openInvited(await platform.sealer(), { account, profileKey, answer }))
  } catch (error) {
    if (isCoded(error, 'relay-unreachable')) throw error
    if (!isCoded(error)) logFault(error, { what: 'who invites could not be seen', log: platform.log })
    return undefined
  }
}
