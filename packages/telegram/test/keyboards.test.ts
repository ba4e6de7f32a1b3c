// Inline keyboards of any size, reply keyboards, presses and edits.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { refused, test } from './telegram.ts'

const inline = (count: number, columns: number) => {
  const all = Array.from({ length: count }, (_, at) => ({ text: `b${at}`, callback_data: `d${at}` }))
  return {
    inline_keyboard: Array.from({ length: Math.ceil(count / columns) }, (_, row) =>
      all.slice(row * columns, (row + 1) * columns),
    ),
  }
}

test('[TELEGRAM-5.1] a press is a callback_query with its message, and is answered once', async ({
  telegram,
  alice,
  chat,
}) => {
  const sent = await telegram.ok('sendMessage', { chat_id: chat, text: 'Well?', reply_markup: inline(2, 2) })
  expect(sent['reply_markup']).toEqual(inline(2, 2))
  const { id } = await alice.hears('Well?')
  const press = await alice.client.messages.press(telegram.toBot, { message: id, data: 'd1' }, WITHIN)
  expect(await telegram.next('callback_query')).toMatchObject({
    id: press,
    data: 'd1',
    from: { id: chat },
    message: { message_id: sent['message_id'], text: 'Well?', reply_markup: inline(2, 2) },
  })
  await telegram.ok('answerCallbackQuery', { callback_query_id: press, text: 'x'.repeat(300) })
  expect((await alice.next('toast')).toast.text).toBe('x'.repeat(200))
  expect(await telegram.call('answerCallbackQuery', { callback_query_id: press })).toEqual(refused(/query is too old/))
})

test('[TELEGRAM-5.2] up to six buttons that do not fit are poured into two columns', async ({
  telegram,
  alice,
  chat,
}) => {
  await telegram.ok('sendMessage', { chat_id: chat, text: 'five rows', reply_markup: inline(5, 1) })
  const { buttons } = await alice.hears('five rows')
  expect(buttons?.map(row => row.map(({ text }) => text))).toEqual([['b0', 'b1'], ['b2', 'b3'], ['b4']])
})

test('[TELEGRAM-5.3] more than six have pages, which the gateway turns without the bot', async ({
  telegram,
  alice,
  chat,
}) => {
  const sent = await telegram.ok('sendMessage', { chat_id: chat, text: 'many', reply_markup: inline(12, 3) })
  expect(sent['reply_markup']).toEqual(inline(12, 3))
  const { id, buttons = [] } = await alice.hears('many')
  expect(buttons.flat().map(({ text }) => text)).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', '▸ 1/3'])
  const turned = alice.client.messages.press(
    telegram.toBot,
    { message: id, data: buttons.flat()[5]?.data ?? '' },
    WITHIN,
  )
  await turned
  const polling = telegram.next('callback_query')
  const page = (await alice.next('edited')).message.buttons ?? []
  expect(page.flat().map(({ text }) => text)).toEqual(['b5', 'b6', 'b7', 'b8', 'b9', '▸ 2/3'])
  expect((await alice.next('toast')).toast.text).toBe('')
  await alice.client.messages.press(telegram.toBot, { message: id, data: 'd7' }, WITHIN)
  // The bot sees the whole keyboard, whatever page is shown.
  expect(await polling).toMatchObject({ data: 'd7', message: { reply_markup: inline(12, 3) } })
})

test('[TELEGRAM-5.4] a press of a reply keyboard is a message with the text of the button', async ({
  telegram,
  alice,
  chat,
}) => {
  await telegram.ok('sendMessage', {
    chat_id: chat,
    text: 'Choose',
    reply_markup: { keyboard: [['Tea', { text: 'Coffee' }]] },
  })
  const { id, buttons = [] } = await alice.hears('Choose')
  await alice.client.messages.press(telegram.toBot, { message: id, data: buttons.flat()[1]?.data ?? '' }, WITHIN)
  expect(await telegram.next('message')).toMatchObject({ text: 'Coffee', from: { id: chat }, chat: { id: chat } })
})

test('[TELEGRAM-5.5] an edit that changes nothing is refused in the words that bots match', async ({
  telegram,
  alice,
  chat,
}) => {
  const given = { chat_id: chat, text: 'same', reply_markup: inline(1, 1) }
  const { message_id: number } = await telegram.ok('sendMessage', given)
  expect(await telegram.call('editMessageText', { ...given, message_id: number })).toEqual(
    refused(/message is not modified/),
  )
  expect(await telegram.call('editMessageReplyMarkup', { ...given, message_id: number })).toEqual(
    refused(/message is not modified/),
  )
  const link = `<a href="tg://user?id=${chat}">same</a>`
  await telegram.ok('editMessageText', { ...given, message_id: number, text: link, parse_mode: 'HTML' })
  expect((await alice.next('edited')).message.mentions).toEqual([{ user: alice.id, offset: 0, length: 4 }])
  await telegram.ok('editMessageReplyMarkup', { chat_id: chat, message_id: number })
  expect((await alice.next('edited')).message).toMatchObject({ text: 'same' })
  expect(await telegram.call('editMessageText', { ...given, message_id: 999 })).toEqual(
    refused('Bad Request: message to edit not found'),
  )
})

test('[TELEGRAM-5.6] messages are deleted, and those of others are not', async ({ telegram, alice, chat }) => {
  const sent = await telegram.ok('sendMessage', { chat_id: chat, text: 'gone' })
  const { id } = await alice.hears('gone')
  await telegram.ok('deleteMessage', { chat_id: chat, message_id: sent['message_id'] })
  expect((await alice.next('deleted')).deleted.message_id).toBe(id)
  await alice.say(telegram.toBot, 'mine')
  const { message_id: number } = await telegram.next('message')
  expect(await telegram.call('deleteMessage', { chat_id: chat, message_id: number })).toEqual(
    refused("Bad Request: message can't be deleted"),
  )
  await telegram.ok('deleteMessages', { chat_id: chat, message_ids: [number, 12_345] })
})
