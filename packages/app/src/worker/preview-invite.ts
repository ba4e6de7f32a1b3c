// Who invites, before there is an account: the relay hands out the sealed profile, and the link has the key to it.
import { openInvited } from '@postern/core'
import { isCoded, logFault } from '@postern/protocol'
import { type Invite, type Profile, parseInvite } from '@postern/protocol/content'
import type { CallAnswer } from '../contract/calls.ts'
import type { Rim } from './rim.ts'

/** The name is empty when the relay does not tell, or tells what the account did not say. */
export async function previewInvite(rim: Rim, link: string): Promise<CallAnswer<'previewInvite'>> {
  const invite = parseInvite(link)
  const { name, about, bot, avatar } = (await profileBehind(rim, invite)) ?? { name: '', about: '', bot: false }
  return { account: invite.account, name, about, bot, ...(avatar !== undefined && { avatar }) }
}

type InvitingProfile = Pick<Profile, 'name' | 'about' | 'bot' | 'avatar'>

/** A relay that does not answer keeps nobody from opening the link. */
async function profileBehind(rim: Rim, { account, profileKey }: Invite): Promise<InvitingProfile | undefined> {
  try {
    const answer = await rim.fetchProfile(account)
    return answer && (await openInvited(await rim.sealer(), { account, profileKey, answer }))
  } catch (error) {
    if (!isCoded(error)) logFault(error, { what: 'who invites could not be seen', log: rim.log })
    return undefined
  }
}
