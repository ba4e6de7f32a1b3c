// Calls about chats and people: requests, groups, marks, blocking, safety numbers.

import { accountId, chatId, count, fields, flag, listOf, oneOf, text } from '../shapes.ts'
import { inAccount, once, WITHIN } from './answering.ts'

const inChat = fields({ chat: chatId })
const withMembers = fields({ chat: chatId, members: listOf(accountId) })

export const chatCalls = {
  // A repeat finds it accepted.
  accept: inAccount(inChat, async ({ client }, { chat }) => {
    await client.chats.accept(chat)
  }),
  decline: inAccount(inChat, async ({ client }, { chat }) => await client.chats.decline(chat)),
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
  // A repeat sets the same name, timer or role.
  renameGroup: inAccount(fields({ chat: chatId, name: text }), async ({ client }, { chat, name }, given) => {
    await client.chats.renameGroup(chat, name, once(given, { chat, name }))
  }),
  setTimer: inAccount(fields({ chat: chatId, timerMs: count }), async ({ client }, { chat, timerMs }, given) => {
    await client.chats.setTimer(chat, timerMs, once(given, { chat, timerMs }))
  }),
  setAdmin: inAccount(
    fields({ chat: chatId, account: accountId, role: oneOf('admin', 'member') }),
    async ({ client }, { chat, ...named }, given) => {
      await client.chats.setAdmin(chat, named, once(given, { chat, ...named }))
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
    async ({ marks }, { chat, ...change }) => await marks.set(chat, change),
  ),

  safetyNumber: inAccount(fields({ account: accountId }), async ({ client }, { account }) => {
    return await client.identity.safetyNumber(account, WITHIN)
  }),
  setVerified: inAccount(fields({ account: accountId, verified: flag }), async ({ client }, { account, verified }) => {
    await client.identity.setVerified(account, verified ? 'verified' : 'unverified')
  }),
}
