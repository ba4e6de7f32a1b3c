// Calls about the account itself: how it begins and ends, its profile, its invites, the app's settings.
import { contentLimits } from '@postern/protocol'
import { parseGroupLink, parseInvite } from '@postern/protocol/content'
import { noPushReasons } from '../../contract/settings.ts'
import { readRelayCode } from '../account/relay-code.ts'
import { someSettings } from '../settings.ts'
import { accountId, blob, bytes, chatId, fields, flag, nothing, oneOf, orNull, text } from '../shapes.ts'
import { early, inAccount, once, unlessDone, WITHIN } from './answering.ts'
import { pictureBytes } from './picture-bytes.ts'

const pushAddress = fields({ endpoint: text, p256dh: bytes, auth: bytes })
const pushReason = oneOf(...noPushReasons)

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

  // A second hello changes nothing: the chat is the same. The command of a start link is sent once for each press.
  openInvite: inAccount(fields({ link: text }, { press: text }), async ({ client }, { link, press }, given) => {
    const { id } = await client.chats.open(parseInvite(link), once({ ...given, key: press ?? given.key }, { link }))
    return { chat: id }
  }),

  // A repeat finds that it was sent.
  askToJoin: inAccount(fields({ link: text }), async ({ client }, { link }) => {
    const { state } = await client.groupLinks.ask(parseGroupLink(link), WITHIN)
    return { state }
  }),
  forgetAsked: inAccount(fields({ account: accountId, token: text }), async ({ client }, asked) => {
    await unlessDone(client.groupLinks.forgetAsked(asked), 'group-link-not-found')
  }),

  // A repeat makes one more: the link that a person sees is the newest in any case.
  newInvite: inAccount(nothing, async ({ client }) => {
    await client.identity.newInvite()
  }),

  // A repeat sets the same profile.
  setProfile: inAccount(
    fields({}, { name: text, about: text, avatar: orNull(blob) }),
    async ({ client }, { avatar, ...words }) => {
      const picture =
        avatar === undefined ? {} : { avatar: avatar && (await pictureBytes(avatar, contentLimits.avatarBytesMax)) }
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

  // A repeat finds it open.
  unlock: early(fields({ passphrase: text }), async ({ home }, { passphrase }) => await home.unlock(passphrase)),

  // A repeat finds its own passphrase.
  setLock: early(fields({}, { passphrase: text, current: text }), async ({ home }, change) => {
    await home.setLock(change)
  }),

  // A repeat finds it locked.
  lockNow: early(nothing, async ({ home }) => await home.lock()),

  // Reports the current state, not a change.
  active: early(nothing, async ({ home }) => home.account?.lock.active()),

  // A repeat sets the same settings.
  setSettings: early(someSettings, async ({ settings, home }, change) => {
    const account = await home.settled()
    await settings.set(change)
    await account?.applySettings()
    account?.notePushChange()
  }),

  // Changes nothing.
  pushKey: inAccount(nothing, async ({ client }) => {
    const key = await client.pushes.key(WITHIN)
    return key ? { key } : {}
  }),

  // A repeat sets the same address.
  setPush: inAccount(fields({}, { address: pushAddress, reason: pushReason }), async (account, { address, reason }) => {
    await account.setPush(address, reason)
  }),

  // Reports the current state, not a change.
  looking: early(fields({ focused: flag }, { chat: chatId }), async ({ home }, sight, { look }) => {
    look(sight)
    if (sight.focused && sight.chat !== undefined) home.account?.alerts.seen(sight.chat)
  }),
}
