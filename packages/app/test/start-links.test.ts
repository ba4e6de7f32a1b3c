// A start link in the app: nothing before the press, and one message for each press.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './app-fixtures.ts'

test('[APP-8.18] A press at a start link sends /start once, however often the page asks; the next press again', async ({
  started: { app, page },
  bot,
}) => {
  const { id, url: link } = await bot.client.invites.create({ payload: 'ticket-4711' })
  // Looking at the link opens nothing.
  await page.call('previewInvite', { link })
  expect(app.account.client.chats.list()).toEqual([])
  for (const press of ['first', 'first', 'second'])
    expect(await page.call('openInvite', { link, press })).toEqual({ chat: bot.chatId })
  await app.account.client.messages.sendText(bot.chatId, { text: 'a mark' }, WITHIN)
  for (const text of ['/start ticket-4711', '/start ticket-4711', 'a mark'])
    expect((await bot.next('message')).message.text).toBe(text)
  const { rows } = page.watch('history', bot.chatId, { at: 'end' }, 10).value
  expect(JSON.stringify(rows)).not.toContain('ticket-4711')
  expect(bot.client.invites.list()).toMatchObject([{ id, used: 1 }])
})

test('[APP-8.18] An invite link without a payload opens the chat and sends no words', async ({
  started: { page },
  bot,
}) => {
  await page.call('openInvite', { link: bot.client.identity.me().inviteUrl, press: 'a press' })
  await bot.next('chat')
  expect(page.watch('history', bot.chatId, { at: 'end' }, 10).value.rows).toEqual([])
})
