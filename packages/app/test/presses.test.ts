// A press of a button: pending on every page until its bot answers in any way, and for ten seconds at most.
import { appLimits, type ChatId } from '@postern/protocol'
import type { ManualClock, TestPerson, World } from '@postern/testkit'
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test as base } from './app-fixtures.ts'
import { TestApp } from './app-world.ts'

const buttons = [
  [
    { text: 'Yes', data: 'yes' },
    { text: 'No', data: 'no' },
  ],
]

/** The bot has asked a question with two buttons, and the app shows it. */
async function asked(world: World, bot: TestPerson, clock?: ManualClock) {
  const { app, page } = await TestApp.begin(world, clock ? { clock } : {})
  await page.call('openInvite', { link: bot.client.identity.me().inviteUrl })
  const from = app.account.client.account as string as ChatId
  const question = await bot.client.messages.sendText(from, { text: 'well?', buttons }, WITHIN)
  const history = page.watch('history', bot.chatId, { at: 'end' }, 10)
  await expect.poll(() => history.value.rows.length).toBe(1)
  const presses = page.watch('presses', bot.chatId)
  const press = (data: string, key?: string) =>
    page.call('press', { chat: bot.chatId, message: question.id, data }, key)
  return { app, page, bot, from, question, presses, press }
}

const test = base.extend('scene', async ({ world, bot }, { onCleanup }) => {
  const scene = await asked(world, bot)
  onCleanup(() => scene.app.host.home.stop())
  return scene
})

const pending = (message: string) => ({ [message]: { data: 'yes', state: 'pending' } })

describe('a press', () => {
  test('[APP-3.1] is pending on every page, and a second one is refused until it is over', async ({ scene }) => {
    const { app, bot, question, presses, press } = scene
    await press('yes')
    await expect.poll(() => presses.value).toEqual(pending(question.id))
    expect(app.page().watch('presses', bot.chatId).value).toEqual(pending(question.id))
    await expect(press('no')).rejects.toThrow('press-pending')
  })

  test('[APP-3.2] is over with the toast, which every page is told of with its bot', async ({ scene }) => {
    const { bot, page, presses, press, question } = scene
    await press('yes')
    const { button } = await bot.next('button')
    expect(button).toMatchObject({ data: 'yes', message_id: question.id })
    await bot.client.messages.answerPress(button.press_id, 'Noted', WITHIN)
    await expect.poll(() => presses.value).toEqual({})
    expect(page.tidings.filter(({ kind }) => kind === 'toast')).toMatchObject([
      { chat: bot.chatId, from: { id: bot.id, name: 'bot' }, text: 'Noted' },
    ])
  })

  test('[APP-3.3] is over with an edit of its message', async ({ scene }) => {
    const { bot, from, presses, press, question } = scene
    await press('yes')
    await bot.next('button')
    await bot.client.messages.edit(from, { message: question.id, text: 'thanks' }, WITHIN)
    await expect.poll(() => presses.value).toEqual({})
    await press('yes').catch(() => undefined)
  })

  test('[APP-3.4] is over with a new message of its bot, and not with one of somebody else', async ({ scene, bob }) => {
    const { app, page, bot, from, presses, press, question } = scene
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    await press('yes')
    await bob.say(app.account.client.account as string as ChatId, 'hello')
    const unread = page.watch('chat', bob.chatId)
    await expect.poll(() => unread.value?.unread).toBe(1)
    expect(presses.value).toEqual(pending(question.id))
    await bot.say(from, 'you said yes')
    await expect.poll(() => presses.value).toEqual({})
  })

  test('[APP-3.5] that is not answered for ten seconds says so, and another may follow', async ({
    world,
    bot,
    clock,
  }) => {
    const { app, question, presses, press } = await asked(world, bot, clock)
    await press('yes')
    clock.advance(appLimits.pressPatienceMs - 1)
    await expect.poll(() => presses.value).toEqual(pending(question.id))
    clock.advance(1)
    await expect.poll(() => presses.value).toEqual({ [question.id]: { data: 'yes', state: 'unanswered' } })
    await press('no')
    await expect.poll(() => presses.value).toEqual({ [question.id]: { data: 'no', state: 'pending' } })
    await app.host.home.stop()
  })

  test('[APP-3.6] that cannot be sent is told to its presser, and waits for nobody', async ({ scene }) => {
    const { bot, page, presses, press } = scene
    await page.call('block', { account: bot.id })
    await expect(press('yes')).rejects.toThrow('chat-blocked')
    await expect.poll(() => presses.value).toEqual({})
  })

  test('[APP-3.7] asked again under its key after a new start counts once', async ({ scene, world }) => {
    const { app, bot, press, question } = scene
    await press('yes', 'one key')
    await app.host.home.stop()
    const { app: next, page } = await TestApp.begin(world)
    await page.call('press', { chat: bot.chatId, message: question.id, data: 'yes' }, 'one key')
    await page.call('send', { chat: bot.chatId, text: 'and then' })
    const { button } = await bot.next('button')
    expect(button.data).toBe('yes')
    await bot.hears('and then')
    const presses = bot.client.journal.read(0, 100).filter(({ json }) => json.includes('"button"'))
    expect(presses).toHaveLength(1)
    await next.host.home.stop()
  })
})
