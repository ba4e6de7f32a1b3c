// Calls about the account itself: how it begins and ends, its profile, its invites, the app's settings.
import { contentLimits } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { readRelayCode } from '../account/relay-code.ts'
import { AppError } from '../app-error.ts'
import { someSettings } from '../settings.ts'
import { blob, chatId, fields, flag, nothing, orNull, text } from '../shapes.ts'
import { early, inAccount, WITHIN } from './answering.ts'

export const accountCalls = {
  // Repeated when the account exists, it changes nothing.
  createAccount: early(fields({ name: text }), async ({ home, platform }, { name }) => {
    await home.begin({ firstStart: { relayUrl: platform.relayUrl, name, bot: false } })
  }),

  // Used once in the life of an account: fetched then.
  previewInvite: early(fields({ link: text }), async ({ platform }, { link }) => {
    const { previewInvite } = await import('../preview-invite.ts')
    return await previewInvite(platform, link)
  }),

  // A second hello changes nothing: the chat is the same.
  openInvite: inAccount(fields({ link: text }), async ({ client }, { link }) => {
    const { id } = await client.chats.open(parseInvite(link), WITHIN)
    return { chat: id }
  }),

  // A repeat makes one more: the link that a person sees is the newest in any case.
  newInvite: inAccount(nothing, async ({ client }) => {
    await client.identity.newInvite()
  }),

  // A repeat sets the same profile.
  setProfile: inAccount(
    fields({}, { name: text, about: text, avatar: orNull(blob) }),
    async ({ client }, { avatar, ...words }) => {
      const picture = avatar === undefined ? {} : { avatar: avatar && (await bytesOf(avatar)) }
      await client.identity.setProfile({ ...words, ...picture })
    },
  ),

  // A removed account cannot be removed again.
  removeAccount: early(nothing, async ({ home }) => await home.remove()),

  // A relay that has already deleted it does not know it any more, and that is enough.
  deleteAccount: early(nothing, async ({ home }) => await home.delete()),

  // A repeat finds it open.
  useHere: early(nothing, async ({ home }) => await home.useHere()),

  // Once the relay has accepted the account, a code has no effect any more.
  useRelayCode: early(fields({ code: text }), async ({ home }, { code }) => {
    await home.useRelayCode(readRelayCode(code))
  }),

  // A repeat sets the same settings.
  setSettings: early(someSettings, async ({ settings, home }, change) => {
    await home.settled()
    await settings.set(change)
  }),

  // Reports the current state, not a change.
  looking: early(fields({ focused: flag }, { chat: chatId }), async ({ home }, sight, { look }) => {
    look(sight)
    if (sight.focused && sight.chat !== undefined) home.account?.alerts.seen(sight.chat)
  }),
}

/** Checked before it is read: a page may pass a film. */
async function bytesOf(picture: Blob): Promise<Uint8Array> {
  if (picture.size > contentLimits.avatarBytesMax) throw new AppError('call-malformed', { field: 'avatar' })
  return new Uint8Array(await picture.arrayBuffer())
}
