// Bots that are killed at every point of their handlers, in the world that bot authors test with.
import { join } from 'node:path'
import { type BotAccess, BotWorld } from '@postern/testkit/bots'
import { expect, test as plain } from 'vitest'
import { Bot, Buttons, type Context, payload, session } from '../src/index.ts'

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', async ({}, { onCleanup }) => {
    const world = await BotWorld.start({ withinMs: 60_000 })
    onCleanup(() => world.stop())
    return world
  })

/** Drafts in between come with time: a busy machine would have more points. */
const WITHOUT_DRAFTS = { everyMs: 3_600_000 }

/** Rounds differ by their number. */
const same = (line: string) => line.replaceAll(/\d+/g, 'N')

test('[SDK-3.5] killed at any point of a handler that uses every kind of call, everybody receives the same, once', {
  timeout: 300_000,
}, async ({ world }) => {
  const handled: string[] = []
  const bot = await world.bot(connection => {
    const made = new Bot({ ...connection, log: () => undefined })
    made.on('message:text', async ctx => {
      handled.push(ctx.text)
      await ctx.read()
      await ctx.react('👀')
      const first = await ctx.reply(`${ctx.text}: begun`)
      await ctx.api.editMessage({ chat: ctx.chatId, msg: first.id, text: `${ctx.text}: edited` })
      const bytes = new TextEncoder().encode(`run ${handled.length}`)
      await ctx.replyFile(bytes, { name: 'log.txt', caption: `${ctx.text}: file` })
      await ctx.replyPoll(`${ctx.text}: poll?`, ['yes', 'no'])
      await ctx.stream(wordsOf(`${ctx.text}: streamed`), WITHOUT_DRAFTS)
      // Differs from run to run.
      await ctx.send(`${ctx.text}: run ${handled.length}`, { key: 'result' })
      await ctx.send(`${ctx.text}: end`)
    })
    return made
  })
  const alice = await world.person('alice')
  await alice.opens(bot)
  const kills = await world.killEverywhere(
    bot,
    async round => {
      await alice.says(`m${round}`)
      await alice.hears(`m${round}: end`)
    },
    { same },
  )
  expect(kills.length).toBeGreaterThanOrEqual(20)
  expect(new Set(handled).size).toBe(kills.length + 1)
  expect(handled.length).toBeGreaterThan(kills.length)
})

async function* wordsOf(text: string) {
  for (const word of text.split(' ')) yield `${word} `
}

const buttonBot = (connection: BotAccess) => {
  const bot = new Bot({ ...connection, log: () => undefined })
  const go = payload('go', { env: 'string' })
  bot.command('deploy', ctx =>
    ctx.reply(`Deploy ${ctx.args}?`, {
      buttons: new Buttons().data('Yes', go.pack({ env: ctx.args })).data('No', 'no'),
    }),
  )
  bot.press(go, async ctx => {
    await ctx.answer('On its way')
    await ctx.edit(`Deploying ${ctx.payload.env}, by ${ctx.button.from.name} …`, { buttons: [] })
    await ctx.send(`${ctx.payload.env} is up`, { key: 'result' })
  })
  return bot
}

test('[SDK-3.5] killed at any point between a command and the end of its press, everybody receives the same, once', {
  timeout: 300_000,
}, async ({ world }) => {
  const bot = await world.bot(buttonBot)
  const alice = await world.person('alice')
  await alice.opens(bot)
  const kills = await world.killEverywhere(
    bot,
    async round => {
      await alice.says(`/deploy shop-${round}`)
      await alice.presses('Yes')
      await alice.hears(`shop-${round} is up`)
    },
    { same },
  )
  expect(kills).toHaveLength(8)
  expect(kills[0]).toMatch(/^before POST .*\/messages$/)
  expect(kills.at(-1)).toMatch(/^after POST .*\/messages$/)
})

test('[SDK-3.1] an answer that is streamed in fewer messages at the second run does not swallow the step behind it', async ({
  world,
}) => {
  const runs = { count: 0 }
  const bot = await world.bot(connection => {
    const made = new Bot({ ...connection, log: () => undefined })
    made.on('message:text', async ctx => {
      runs.count += 1
      await ctx.stream(wordsOf(runs.count === 1 ? 'word '.repeat(1000) : 'short'), WITHOUT_DRAFTS)
      await ctx.send('end')
    })
    return made
  })
  const alice = await world.person('alice')
  await alice.opens(bot)
  // The sign that the bot is typing, and two messages; then `end`.
  const { killed } = await world.killAt(bot, 7)
  await alice.says('go')
  expect(await killed).toMatch(/^before POST .*\/messages$/)
  await world.restart(bot)
  await alice.hears('end')
  expect(alice.texts().filter(text => text === 'end')).toHaveLength(1)
})

test('[SDK-2.5] a session that is kept in a file survives kills, and a handler counts once for each message', async ({
  world,
}) => {
  const { fileStore } = await import('../src/node.ts')
  const bot = await world.bot(connection => {
    const made = new Bot<Context & { session: { count: number } }>({ ...connection, log: () => undefined })
    made.use(session({ initial: () => ({ count: 0 }), store: fileStore(join(world.directory, 'sessions')) }))
    made.on('message:text', async ctx => {
      ctx.session.count += 1
      await ctx.reply(`message ${ctx.session.count}`)
    })
    return made
  })
  const alice = await world.person('alice')
  await alice.opens(bot)
  for (const [at, point] of [1, 2, 1].entries()) {
    const { killed } = await world.killAt(bot, point)
    await alice.says(`m${at}`)
    await killed
    await world.restart(bot)
    await alice.hears(`message ${at + 1}`)
  }
})
