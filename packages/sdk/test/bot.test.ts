// Bots as their authors write them, against a real gateway and real people.
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { Bot, Composer, type Update } from '../src/index.ts'
import { chatWith, press, SOON, test } from './fixtures.ts'

describe('handlers', () => {
  test('[SDK-2.1] an update goes to the handlers whose filter it fits, in their order, as long as each calls next', async ({
    alice,
    chat,
    run,
  }) => {
    const seen: string[] = []
    await run(bot => {
      bot.use((ctx, next) => {
        seen.push(`use ${ctx.update.type}`)
        return next()
      })
      bot.on(['message:photo', 'message:voice'], () => seen.push('photo or voice'))
      bot.on('message:file', ctx => seen.push(ctx.message.file.name))
      bot.on('message:reply', (ctx, next) => {
        seen.push(`reply to ${ctx.message.reply_to}`)
        return next()
      })
      bot.hears('ping', ctx => ctx.reply('pong'))
      bot.hears(/^add (\d+) (\d+)$/g, ctx => ctx.send(String(Number(ctx.match?.[1]) + Number(ctx.match?.[2]))))
      bot.filter(ctx => Promise.resolve(ctx.text === 'secret')).on('message:text', ctx => ctx.reply(`echo ${ctx.text}`))
      bot.on('edited', ctx => ctx.send(`edited to ${ctx.text}`))
      bot.on('reaction', ctx => ctx.send(`${ctx.from?.name} reacts with ${ctx.reaction.emoji}`))
    })
    const said = await alice.say(chat, 'ping')
    expect((await alice.next('message')).message).toMatchObject({ text: 'pong', reply_to: said.id })
    for (const _ of [1, 2]) {
      await alice.say(chat, 'add 2 3')
      await alice.hears('5')
    }
    await alice.client.messages.sendText(chat, { text: 'again', replyTo: said.id }, WITHIN)
    await alice.hears('echo again')
    await alice.client.messages.edit(chat, { message: said.id, text: 'pang' }, WITHIN)
    await alice.hears('edited to pang')
    await alice.client.messages.react(chat, { message: said.id, emoji: '👍' }, WITHIN)
    await alice.hears('alice reacts with 👍')
    expect(seen).toContain(`reply to ${said.id}`)
    expect(seen).toContain('use reaction')
  })

  test('[SDK-2.2] a command has its words, in a group only when it mentions the bot', async ({
    alice,
    bob,
    chat,
    gateway,
    run,
  }) => {
    const commands = [{ name: 'add', description: 'Adds' }]
    await run(
      bot => {
        bot.command(['add', 'plus'], ctx => ctx.reply(`[${ctx.args}]`))
        bot.on('message:text', ctx => ctx.reply('not a command'))
      },
      { commands },
    )
    expect(gateway.client.identity.me().commands).toMatchObject(commands)
    for (const [text, answer] of [
      ['/add one  two', '[one  two]'],
      ['/PLUS', '[]'],
      ['/adder x', 'not a command'],
      ['say /add', 'not a command'],
    ] as const) {
      await alice.say(chat, text)
      await alice.hears(answer)
    }
    const bot = gateway.client.account
    const { id: group } = await alice.client.chats.createGroup({ name: 'all', members: [bob.id, bot] }, WITHIN)
    await alice.say(group, '/add one')
    await alice.hears('not a command')
    const mentions = [{ user: bot, offset: 5, length: 4 }]
    await alice.client.messages.sendText(group, { text: '/add @bot two', mentions }, WITHIN)
    await alice.hears('[two]')
  })

  test('[SDK-2.3] a press reaches the handler of its data, and a press that nobody answers is answered', async ({
    alice,
    chat,
    run,
  }) => {
    await run(bot => {
      bot.command('ask', ctx =>
        ctx.reply('?', {
          buttons: [
            [
              { text: 'a', data: 'a1' },
              { text: 'b', data: 'b' },
            ],
          ],
        }),
      )
      bot.press(/^a(\d)$/, async ctx => {
        expect(await ctx.answer(`number ${ctx.match?.[1]}`)).toBe(true)
        expect(await ctx.answer('again')).toBe(false)
        await ctx.edit('chosen', { buttons: [] })
      })
    })
    await alice.say(chat, '/ask')
    const { message } = await alice.next('message')
    const unheard = await press(alice, message, 'b')
    expect((await alice.next('toast')).toast).toEqual({ press_id: unheard, text: '' })
    const heard = await press(alice, message, 'a1')
    expect((await alice.next('toast')).toast).toEqual({ press_id: heard, text: 'number 1' })
    expect((await alice.next('edited')).message.text).toBe('chosen')
  })

  test('[SDK-2.8] messages of other bots reach the handlers only if the bot wants them', async ({
    alice,
    bot: other,
    chat,
    gateway,
    run,
  }) => {
    const first = await run(bot => bot.on('message:text', ctx => ctx.reply(ctx.text)))
    const toBot = await chatWith(gateway, other)
    // The mark of a bot is in its profile, which may arrive after its first message.
    await expect
      .poll(() => gateway.client.chats.list().find(({ id }) => id === other.chatId)?.members, SOON)
      .toContainEqual(expect.objectContaining({ id: other.id, bot: true }))
    await other.say(toBot, 'I am a bot')
    await alice.say(chat, 'and I am not')
    await alice.hears('and I am not')
    await first.bot.stop()
    await run(bot => bot.on('message:text', ctx => ctx.reply(ctx.text)), { answersBots: true })
    await other.say(toBot, 'hello')
    await other.hears('hello')
    expect(other.texts(toBot)).toEqual(['I am a bot', 'hello', 'hello'])
  })

  test('[SDK-2.9] an update of an unknown type passes by', async ({ address, chat }) => {
    const seen: string[] = []
    const bot = new Bot(address)
    bot.on(['message', 'chat', 'notice'], () => seen.push('known'))
    bot.use(ctx => seen.push(`${ctx.update.type} ${ctx.from?.name}`))
    await bot.handle({ id: 7, chat_id: chat, type: 'weather', message: 'rain' } as unknown as Update)
    expect(seen).toEqual(['weather undefined'])
  })

  test('[SDK-2.10] a boundary keeps the errors of its part', async ({ alice, chat, run }) => {
    await run(bot => {
      const part = new Composer()
      part.hears('bad', () => {
        throw new Error('no')
      })
      part.hears('good', ctx => ctx.reply('good'))
      bot.boundary(async (error, ctx) => {
        await ctx.reply(`caught ${String(error)}`)
        return 'skip'
      }, part.middleware())
      bot.on('message:text', ctx => ctx.reply(`after ${ctx.text}`))
    })
    await alice.say(chat, 'bad')
    await alice.hears('caught Error: no')
    await alice.hears('after bad')
    await alice.say(chat, 'good')
    await alice.hears('good')
    await alice.say(chat, 'other')
    await alice.hears('after other')
    expect(alice.texts(chat)).not.toContain('after good')
  })
})
