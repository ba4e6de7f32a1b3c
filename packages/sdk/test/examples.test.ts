// The six bots with which the SDK is explained.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { Buttons, type Context, payload, session } from '../src/index.ts'
import { press, test, updateOf } from './fixtures.ts'

test('[SDK-5.2] echo', async ({ alice, chat, run }) => {
  await run(bot => bot.on('message:text', ctx => ctx.reply(ctx.text)))
  const said = await alice.say(chat, 'hello')
  expect((await alice.next('message')).message).toMatchObject({ text: 'hello', reply_to: said.id })
})

test('[SDK-5.2] deploy with buttons', async ({ alice, chat, run }) => {
  const runDeploy = async (env: string) => `${env} is up`
  const go = payload('go', { env: 'string', at: 'number' })
  await run(
    bot => {
      bot.command('deploy', ctx =>
        ctx.reply(`Deploy ${ctx.args || 'staging'}?`, {
          buttons: new Buttons()
            .data('Yes', go.pack({ env: ctx.args || 'staging', at: ctx.update.id }))
            .data('No', 'no'),
        }),
      )
      bot.press(go, async ctx => {
        await ctx.answer('On its way')
        await ctx.edit(`Deploying ${ctx.payload.env}, by ${ctx.button.from.name} …`, { buttons: [] })
        await ctx.send(await runDeploy(ctx.payload.env), { key: 'result' })
      })
      bot.press('no', ctx => ctx.edit('Not deployed.', { buttons: [] }))
    },
    { commands: [{ name: 'deploy', description: 'Deploy a service', args: 'env' }] },
  )
  await alice.say(chat, '/deploy prod: eu')
  const { message: asked } = await alice.next('message')
  expect(asked.text).toBe('Deploy prod: eu?')
  await press(alice, asked, asked.buttons?.[0]?.[0]?.data ?? '')
  expect((await alice.next('toast')).toast.text).toBe('On its way')
  expect((await alice.next('edited')).message.text).toBe('Deploying prod: eu, by alice …')
  await alice.hears('prod: eu is up')
  await alice.say(chat, '/deploy')
  await press(alice, (await alice.next('message')).message, 'no')
  expect((await alice.next('edited')).message.text).toBe('Not deployed.')
})

test('[SDK-5.2] poll', async ({ alice, chat, gateway, run }) => {
  const { bot } = await run(made => {
    made.command('lunch', ctx =>
      ctx.replyPoll('Lunch?', ['Pizza', 'Soup', 'Nothing'], { close_ts: Date.now() + 3_600_000 }),
    )
    made.on('poll:closed', ctx => {
      const best = [...ctx.message.poll.options].sort((a, b) => b.votes - a.votes)[0]
      return ctx.reply(best?.votes ? `${best.text}, by ${best.votes}.` : 'Nobody is hungry.')
    })
  })
  await alice.say(chat, '/lunch')
  const { message: asked } = await alice.next('message')
  await alice.client.messages.vote(chat, { message: asked.id, options: [1] }, WITHIN)
  const voted = async () => (await bot.api.getMessage({ chat: alice.id, msg: asked.id })).poll?.options[1]?.votes
  await expect.poll(voted, { timeout: 60_000 }).toBe(1)
  await bot.api.closePoll({ chat: alice.id, msg: asked.id })
  await alice.hears('Soup, by 1.')
  expect(gateway.client.account).toBe(asked.from.id)
})

test('[SDK-5.2] file converter', async ({ alice, chat, run }) => {
  const upper = (bytes: ReadableStream<Uint8Array>) =>
    (async function* () {
      for await (const chunk of bytes) yield new TextEncoder().encode(new TextDecoder().decode(chunk).toUpperCase())
    })()
  const { bot } = await run(
    made =>
      made.on('message:file', async ctx => {
        const { name, size } = ctx.message.file
        if (!name.endsWith('.docx')) return await ctx.reply('Send a .docx file.')
        if (size > 50e6) return await ctx.reply('At most 50 MB, please.')
        await ctx.react('👀')
        const file = await ctx.file()
        return await ctx.replyFile(upper(file.stream), { name: name.replace(/docx$/, 'pdf') })
      }),
    { start: { concurrency: 'chats' } },
  )
  const send = async (name: string) => {
    const source = async function* () {
      yield Buffer.from('some words')
    }
    const draft = await alice.client.files.draft(source())
    await alice.client.files.send(chat, { draft, name, type: 'application/octet-stream', kind: 'file' }, WITHIN)
    await draft.discard()
  }
  await send('notes.odt')
  await alice.hears('Send a .docx file.')
  await send('notes.docx')
  expect((await alice.next('reaction')).reaction.emoji).toBe('👀')
  const { message } = await alice.next('message')
  expect(message.file?.name).toBe('notes.pdf')
  expect(await (await bot.api.getFile({ chat: alice.id, msg: message.id })).text()).toBe('SOME WORDS')
})

test('[SDK-5.2] language model with streaming edits', async ({ alice, chat, run }) => {
  type Chatty = Context & { session: { role: string; content: string }[] }
  const model = {
    async *chat(history: Chatty['session'], { signal }: { signal: AbortSignal }) {
      signal.throwIfAborted()
      if (history.at(-1)?.content === 'fail') throw new Error('no model')
      yield `You said ${history.filter(({ role }) => role === 'user').length} things, `
      yield `the last was ${history.at(-1)?.content}.`
    },
  }
  await run<Chatty>(
    bot => {
      bot.use(session<Chatty['session']>({ initial: () => [], by: 'chat' }))
      bot.command('new', ctx => {
        ctx.session.length = 0
        return ctx.reply('Forgotten.')
      })
      bot.on('message:text', async ctx => {
        ctx.session.push({ role: 'user', content: ctx.text })
        const said = await ctx.stream(model.chat(ctx.session, { signal: ctx.signal }))
        ctx.session.push({ role: 'assistant', content: said.text ?? '' })
      })
      bot.catch(async (_, ctx) => {
        await ctx.reply('That went wrong. Try again.')
        return 'skip'
      })
    },
    { attempts: 1, start: { concurrency: 'chats' } },
  )
  await alice.say(chat, 'one')
  await alice.hears('You said 1 things, the last was one.')
  await alice.say(chat, 'two')
  await alice.hears('You said 2 things, the last was two.')
  await alice.say(chat, 'fail')
  await alice.hears('That went wrong. Try again.')
  await alice.say(chat, '/new')
  await alice.hears('Forgotten.')
  await alice.say(chat, 'three')
  await alice.hears('You said 1 things, the last was three.')
})

test('[SDK-5.2] alert with acknowledgement', async ({ alice, chat, gateway, run }) => {
  await alice.say(chat, 'hello')
  await updateOf(gateway, 'hello')
  const acks: string[] = []
  const ack = payload('ack', { id: 'string' })
  const { bot } = await run(made =>
    made.press(ack, async ctx => {
      acks.push(`${ctx.payload.id} ${ctx.button.from.name}`)
      await ctx.edit(`✅ ${ctx.button.from.name} has it.`, { buttons: [] })
      await ctx.answer('Yours')
    }),
  )
  const fired = { id: 'A-17', title: 'Disk full', url: 'https://pager.example/17' }
  for (const { id, title, url } of [fired, fired])
    await bot.api.sendMessage(
      {
        chat: alice.id,
        text: `🔥 ${title}`,
        buttons: new Buttons().data('Take it', ack.pack({ id })).url('Open', url).build(),
      },
      { key: `alert-${id}` },
    )
  const { message } = await alice.next('message')
  await press(alice, message, 'ack:A-17')
  expect((await alice.next('edited')).message.text).toBe('✅ alice has it.')
  expect((await alice.next('toast')).toast.text).toBe('Yours')
  expect([acks, alice.texts(chat)]).toEqual([['A-17 alice'], ['hello', '✅ alice has it.']])
})
