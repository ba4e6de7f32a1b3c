// Calls about the account itself: how it begins and ends, its profile, its invites, the app's settings.
import { contentLimits } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { readRelayCode } from '../account/relay-code.ts'
import { AppError } from '../app-error.ts'
import { someSettings } from '../settings.ts'
import { blob, chatId, fields, flag, nothing, orNull, text } from '../shapes.ts'
import { early, inAccount, WITHIN } from './answering.ts'

export const accountCalls = {
  // Asked again when the account is there, it changes nothing.
  createAccount: early(fields({ name: text }), async ({ home, platform }, { name }) => {
    await home.begin({ firstStart: { relayUrl: platform.relayUrl, name, bot: false } })
  }),

  // Asked once in the life of an account: fetched then.
  previewInvite: early(fields({ link: text }), async ({ platform }, { link }) => {
    const { previewInvite } = await import('../preview-invite.ts')
    return await previewInvite(platform, link)
  }),

  // A second hello is heard by nobody: the chat is the same.
  openInvite: inAccount(fields({ link: text }), async ({ client }, { link }) => {
    const { id } = await client.chats.open(parseInvite(link), WITHIN)
    return { chat: id }
  }),

  // Once more than asked for: the link that a person sees is the newest in any case.
  newInvite: inAccount(nothing, async ({ client }) => {
    await client.identity.newInvite()
  }),

  // The same profile once more.
  setProfile: inAccount(
    fields({}, { name: text, about: text, avatar: orNull(blob) }),
    async ({ client }, { avatar, ...words }) => {
      const picture = avatar === undefined ? {} : { avatar: avatar && (await bytesOf(avatar)) }
      await client.identity.setProfile({ ...words, ...picture })
    },
  ),

  // What is gone cannot go again.
  removeAccount: early(nothing, async ({ home }) => await home.remove()),

  // A relay that has deleted it already knows it no more, and that is enough.
  deleteAccount: early(nothing, async ({ home }) => await home.delete()),

  // Open is open.
  useHere: early(nothing, async ({ home }) => await home.useHere()),

  // Once the relay has taken the account, no code is of use any more.
  useRelayCode: early(fields({ code: text }), async ({ home }, { code }) => {
    await home.useRelayCode(readRelayCode(code))
  }),

  // The same settings once more.
  setSettings: early(someSettings, async ({ settings, home }, change) => {
    await home.settled()
    await settings.set(change)
  }),

  // Says how it is now, not what changes.
  looking: early(fields({ focused: flag }, { chat: chatId }), async ({ home }, sight, { look }) => {
    look(sight)
    if (sight.focused && sight.chat !== undefined) home.account?.alerts.seen(sight.chat)
  }),
}

/** Looked at before it is read: a page may hand over a film. */
async function bytesOf(picture: Blob): Promise<Uint8Array> {
  if (picture.size > contentLimits.avatarBytesMax) throw new AppError('call-malformed', { field: 'avatar' })
  return new Uint8Array(await picture.arrayBuffer())
}
