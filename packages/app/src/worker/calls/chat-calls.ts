// Calls about chats and people: requests, groups, marks, blocking, safety numbers.
import { contentLimits } from '@postern/protocol'
import { accountId, blob, chatId, count, fields, flag, listOf, oneOf, orNull, text } from '../shapes.ts'
import { chatOf } from '../views/read-chats.ts'
import { inAccount, once, unlessDone, WITHIN } from './answering.ts'
import { pictureBytes } from './picture-bytes.ts'

const inChat = fields({ chat: chatId })
const withMembers = fields({ chat: chatId, members: listOf(accountId) })

export const chatCalls = {
  // A repeat finds it accepted.
  accept: inAccount(inChat, async ({ client }, { chat }) => {
    await client.chats.accept(chat)
  }),
  decline: inAccount(inChat, async ({ client }, { chat }) => await client.chats.decline(chat)),
  // A repeat finds it empty, or gone.
  clearHistory: inAccount(inChat, async (account, { chat }) => await account.clearHistory(chat)),
  deleteChat: inAccount(inChat, async (account, { chat }) => await account.deleteChat(chat)),
  // A repeat finds it shown.
  showChat: inAccount(inChat, async (account, { chat }) => {
    await account.client.chats.reveal(chat)
    return { isThere: chatOf(account, chat) !== undefined }
  }),
  // A second hello changes nothing: the chat is the same.
  beginChat: inAccount(fields({ account: accountId }), async ({ client }, asked, given) => {
    await client.chats.open(asked, once(given, asked))
  }),
  block: inAccount(
    fields({ account: accountId }),
    async ({ client }, { account }) => await client.chats.block(account),
  ),
  unblock: inAccount(fields({ account: accountId }), async ({ client }, { account }) => {
    await client.chats.unblock(account)
  }),
  createGroup: inAccount(fields({ name: text, members: listOf(accountId) }), async ({ client }, asked, given) => {
    const { id } = await client.chats.createGroup(asked, once(given, asked))
    return { chat: id }
  }),
  addMembers: inAccount(withMembers, async ({ client }, { chat, members }, given) => {
    await client.chats.addMembers(chat, members, once(given, { chat, members }))
  }),
  removeMembers: inAccount(withMembers, async ({ client }, { chat, members }, given) => {
    await client.chats.removeMembers(chat, members, once(given, { chat, members }))
  }),
  // A repeat sets the same name, picture, timer or role.
  renameGroup: inAccount(fields({ chat: chatId, name: text }), async ({ client }, { chat, name }, given) => {
    await client.chats.renameGroup(chat, name, once(given, { chat, name }))
  }),
  setGroupPicture: inAccount(
    fields({ chat: chatId, picture: orNull(blob) }),
    async ({ client }, { chat, picture }, given) => {
      const bytes = picture && (await pictureBytes(picture, contentLimits.groupPictureBytesMax))
      await client.chats.setGroupPicture(chat, bytes, once(given, { chat, bytes: bytes && bytes.length }))
    },
  ),
  setTimer: inAccount(fields({ chat: chatId, timerMs: count }), async ({ client }, { chat, timerMs }, given) => {
    await client.chats.setTimer(chat, timerMs, once(given, { chat, timerMs }))
  }),
  setAdmin: inAccount(
    fields({ chat: chatId, account: accountId, role: oneOf('admin', 'member') }),
    async ({ client }, { chat, ...named }, given) => {
      await client.chats.setAdmin(chat, named, once(given, { chat, ...named }))
    },
  ),
  makeGroupLink: inAccount(inChat, async ({ client }, { chat }) => {
    if (client.groupLinks.list(chat).length === 0) await client.groupLinks.make(chat)
  }),
  revokeGroupLink: inAccount(fields({ chat: chatId, token: text }), async ({ client }, { chat, token }) => {
    await unlessDone(client.groupLinks.revoke(chat, token), 'group-link-not-found')
  }),
  answerJoin: inAccount(
    fields({ chat: chatId, account: accountId, answer: oneOf('add', 'decline') }),
    async ({ client: { groupLinks } }, { chat, account, answer }, given) => {
      const answering =
        answer === 'add'
          ? groupLinks.add(chat, account, once(given, { chat, account }))
          : groupLinks.decline(chat, account)
      await unlessDone(answering, 'join-request-not-found')
    },
  ),
  leaveGroup: inAccount(inChat, async ({ client }, asked, given) => {
    await client.chats.leaveGroup(asked.chat, once(given, asked))
  }),
  callPerson: inAccount(inChat, async ({ client }, asked, given) => {
    await client.messages.call(asked.chat, once(given, asked))
  }),
  markChat: inAccount(
    fields({ chat: chatId }, { muted: flag, pinned: flag, archived: flag }),
    async (account, { chat, ...change }) => {
      await account.marks.set(chat, change)
      account.notePushChange()
    },
  ),

  safetyNumber: inAccount(fields({ account: accountId }), async ({ client }, { account }) => {
    return await client.identity.safetyNumber(account, WITHIN)
  }),
  setVerified: inAccount(fields({ account: accountId, verified: flag }), async ({ client }, { account, verified }) => {
    await client.identity.setVerified(account, verified ? 'verified' : 'unverified')
  }),
}
