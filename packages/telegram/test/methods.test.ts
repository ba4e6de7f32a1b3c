// Methods about the bot, its chats and their members, and copies of messages.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { refused, type Shown, type Telegram, test } from './telegram.ts'

test('[TELEGRAM-7.1] commands, name and descriptions of the bot', async ({ telegram }) => {
  const commands = [{ command: 'start', description: 'Begin' }]
  await telegram.ok('setMyCommands', { commands, scope: { type: 'default' }, language_code: 'en' })
  expect(await telegram.ok('getMyCommands')).toEqual(commands)
  await telegram.ok('deleteMyCommands')
  expect(await telegram.ok('getMyCommands')).toEqual([])
  await telegram.ok('setMyName', { name: 'Помощник 2' })
  expect(await telegram.ok('getMyName')).toEqual({ name: 'Помощник 2' })
  expect(await telegram.ok('getMe')).toMatchObject({
    first_name: 'Помощник 2',
    username: 'postern_2_bot',
    is_bot: true,
  })
  await telegram.ok('setMyDescription', { description: 'Helps' })
  expect(await telegram.ok('getMyShortDescription')).toEqual({ short_description: 'Helps' })
  expect(await telegram.call('setMyCommands', { commands: [{ command: 'No Spaces' }] })).toEqual(
    refused(/^Bad Request: /),
  )
})

test('[TELEGRAM-7.2] without a webhook, getWebhookInfo counts what waits, and deleteWebhook can forget it', async ({
  telegram,
  alice,
  chat,
}) => {
  await alice.say(telegram.toBot, 'pending')
  const info = async () => (await telegram.ok('getWebhookInfo'))['pending_update_count'] as number
  while ((await info()) === 0);
  await telegram.ok('deleteWebhook', { drop_pending_updates: true })
  expect(await telegram.ok('getWebhookInfo')).toEqual({
    url: '',
    has_custom_certificate: false,
    pending_update_count: 0,
  })
  expect(chat).toBeGreaterThan(0)
})

/** A group of alice's in which the bot is an admin. */
async function groupOf(
  telegram: Telegram,
  alice: TestPerson,
  others: TestPerson[],
): Promise<{ group: ChatId; chat: number }> {
  const bot = telegram.gateway.client.account
  const { id: group } = await alice.client.chats.createGroup(
    { name: 'crew', members: [bot, ...others.map(({ id }) => id)] },
    WITHIN,
  )
  await alice.client.chats.setAdmin(group, { account: bot, role: 'admin' }, WITHIN)
  for (;;) {
    const { chat } = await telegram.next('my_chat_member')
    if (chat.type === 'group') return { group, chat: chat.id }
  }
}

test('[TELEGRAM-7.3] a group: its members, admins and title', async ({ telegram, alice, bob }) => {
  const { group, chat } = await groupOf(telegram, alice, [bob])
  expect(await telegram.ok('getChat', { chat_id: chat })).toMatchObject({ id: chat, type: 'group', title: 'crew' })
  expect(await telegram.ok('getChatMemberCount', { chat_id: chat })).toBe(3)
  // The bot may still wait for the change that made it an admin.
  let admins: Shown = []
  while (admins['length'] < 2) admins = await telegram.ok('getChatAdministrators', { chat_id: chat })
  expect((admins as Shown[]).map(({ user, status }) => [user.first_name, status])).toEqual(
    expect.arrayContaining([
      ['alice', 'administrator'],
      ['bot', 'administrator'],
    ]),
  )
  const member = async (person: string) => await telegram.ok('getChatMember', { chat_id: chat, user_id: person })
  const bobs = (await member(bob.id))['user'].id as number
  expect(await member(String(bobs))).toMatchObject({ status: 'member', user: { first_name: 'bob' } })
  await telegram.ok('promoteChatMember', { chat_id: chat, user_id: bobs, can_manage_chat: true })
  expect(await member(bob.id)).toMatchObject({ status: 'administrator' })
  await telegram.ok('promoteChatMember', { chat_id: chat, user_id: bobs })
  await telegram.ok('setChatTitle', { chat_id: chat, title: 'team' })
  await bob.next('notice', event => event.notice.code === 'renamed')
  await telegram.ok('unbanChatMember', { chat_id: chat, user_id: bobs })
  expect(await telegram.ok('getChatMemberCount', { chat_id: chat })).toBe(3)
  await telegram.ok('banChatMember', { chat_id: chat, user_id: bobs })
  expect(await member(bob.id)).toMatchObject({ status: 'left' })
  await telegram.ok('leaveChat', { chat_id: chat })
  await alice.next('notice', event => event.notice.code === 'left' && event.chat_id === group)
  expect(await telegram.call('sendMessage', { chat_id: chat, text: 'x' })).toEqual(
    refused('Forbidden: bot is not a member of the group chat', 403),
  )
})

test('[TELEGRAM-7.4] texts and files are copied and forwarded with their formatting, and polls are refused', async ({
  telegram,
  alice,
  chat,
}) => {
  const sent = await telegram.ok('sendMessage', { chat_id: chat, text: '<b>bold</b> text', parse_mode: 'HTML' })
  await alice.hears('bold text')
  const from = { chat_id: chat, from_chat_id: chat, message_id: sent['message_id'] }
  expect(await telegram.ok('copyMessage', from)).toEqual({ message_id: expect.any(Number) })
  const copied = await alice.hears('bold text')
  expect(copied).toMatchObject({ entities: [{ type: 'bold', offset: 0, length: 4 }] })
  expect(copied.forwarded).toBeUndefined()
  await telegram.ok('forwardMessage', from)
  expect(await alice.hears('bold text')).toMatchObject({ forwarded: true, entities: [{ type: 'bold', length: 4 }] })
  const form = new FormData()
  form.append('chat_id', String(chat))
  form.append('document', new Blob(['some bytes']), 'name.bin')
  const { body: uploaded } = await telegram.fetch('sendDocument', { method: 'POST', body: form })
  await alice.next('message', event => event.message.file !== undefined)
  const file = { ...from, message_id: uploaded.result['message_id'] }
  await telegram.ok('copyMessage', { ...file, caption: 'again' })
  const { message } = await alice.next('message', event => event.message.file !== undefined)
  expect(message).toMatchObject({ text: 'again', file: { name: 'name.bin', size: 10 } })
  const poll = await telegram.ok('sendPoll', { chat_id: chat, question: 'Q', options: ['a', 'b'], is_anonymous: true })
  expect(await telegram.call('copyMessage', { ...from, message_id: poll['message_id'] })).toEqual(
    refused(/only texts and files/),
  )
})

test('[TELEGRAM-7.5] typing, a reaction and its end', async ({ telegram, alice, chat }) => {
  await telegram.ok('sendChatAction', { chat_id: chat, action: 'upload_photo' })
  const said = await alice.say(telegram.toBot, 'like me')
  const { message_id: number } = await telegram.next('message')
  await telegram.ok('setMessageReaction', {
    chat_id: chat,
    message_id: number,
    reaction: [{ type: 'emoji', emoji: '🎉' }],
  })
  expect((await alice.next('reaction')).reaction).toMatchObject({ message_id: said.id, emoji: '🎉' })
  await telegram.ok('setMessageReaction', { chat_id: chat, message_id: number, reaction: [] })
  expect((await alice.next('reaction')).reaction.emoji).toBe('')
})

test('[TELEGRAM-7.6] quizzes are refused', async ({ telegram, chat }) => {
  const quiz = { chat_id: chat, question: 'Q', options: ['a', 'b'], type: 'quiz', correct_option_id: 0 }
  expect(await telegram.call('sendPoll', quiz)).toEqual(refused(/quizzes are not supported/))
})

test('[TELEGRAM-7.10] people have no pictures here, and unknown ones are refused', async ({ telegram, chat }) => {
  const me = (await telegram.ok('getMe'))['id'] as number
  for (const id of [chat, me])
    expect(await telegram.ok('getUserProfilePhotos', { user_id: id })).toEqual({ total_count: 0, photos: [] })
  expect(await telegram.call('getUserProfilePhotos', { user_id: 5 })).toEqual(refused('Bad Request: chat not found'))
})
