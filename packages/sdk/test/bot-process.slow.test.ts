// Bots that authors test as processes, in TypeScript and in Python: calls pass through the test, and a kill is a SIGKILL.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type BotExecutable, BotWorld } from '@postern/testkit/bots'
import { describe, expect, test as plain } from 'vitest'

const PYTHON = join(import.meta.dirname, '../../../sdk/python')
const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) console.warn('python3 not installed here: the bot in Python is not tried')

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', async ({}, { onCleanup }) => {
    const world = await BotWorld.start({ withinMs: 60_000 })
    onCleanup(() => world.stop())
    return world
  })

const python = `
from postern_sdk import Bot

bot = Bot()


@bot.text()
def echo(ctx):
    ctx.reply("echo " + ctx.text)


bot.run()
`
const commands: { name: string; command: BotExecutable; isHere: boolean }[] = [
  {
    name: 'TypeScript',
    command: { command: process.execPath, args: [join(import.meta.dirname, 'bots/echo-bot.ts')] },
    isHere: true,
  },
  {
    name: 'Python',
    command: { command: 'python3', args: ['-c', python], env: { PYTHONPATH: PYTHON } },
    isHere: hasPython,
  },
]

describe.each(commands)('a bot in $name', ({ command, isHere }) => {
  test.skipIf(!isHere)(
    '[TESTKIT-1.1, TESTKIT-1.4] is killed at each point, and everybody receives the same',
    {
      timeout: 300_000,
    },
    async ({ world }) => {
      const bot = await world.bot(command)
      const alice = await world.person('alice')
      await alice.opens(bot)
      const points = await world.killEverywhere(bot, async () => {
        await alice.says('hello')
        await alice.hears('echo hello')
      })
      expect(points).toHaveLength(2)
      await world.restart(bot)
      await alice.says('in order')
      await alice.hears('echo in order')
    },
  )
})

test('[TESTKIT-1.1] files stream through in both directions', { timeout: 300_000 }, async ({ world }) => {
  const bot = await world.bot(commands[0]?.command ?? expect.fail())
  const alice = await world.person('alice')
  await alice.opens(bot)
  const bytes = crypto.getRandomValues(new Uint8Array(60_000))
  await alice.sendsFile('noise.bin', bytes)
  const back = await alice.hearsMessage(({ file }) => file?.name === 'noise.bin')
  expect(Buffer.from(await alice.reads(back)).equals(bytes)).toBe(true)
})

test('[TESTKIT-1.1] a command that ends says why', async ({ world }) => {
  const failing = { command: process.execPath, args: ['-e', 'console.error("no model"); process.exit(3)'] }
  await expect(world.bot(failing)).rejects.toThrow(/^the bot ended with 3: no model/)
  await expect(world.bot({ command: '/no/such/program' })).rejects.toThrow('ENOENT')
})

test('[TESTKIT-1.5] the error by which a bot has ended is in what a person waits for, and fails the stop', async () => {
  const world = await BotWorld.start({ withinMs: 3000 })
  const script = `
    const headers = { authorization: 'Bearer ' + process.env.POSTERN_TOKEN }
    fetch(process.env.POSTERN_URL + '/v1/updates', { headers }).then(() => {
      console.error('out of memory')
      process.exit(4)
    })`
  const bot = await world.bot({ command: process.execPath, args: ['-e', script] })
  const alice = await world.person('alice')
  await alice.opens(bot)
  await expect(alice.hears('anything')).rejects.toThrow(
    /^alice hears anything: not within 3 s\. The chat: \[\]\nthe bot ended with 4: out of memory/,
  )
  await expect(world.stop()).rejects.toThrow('the bot ended with 4: out of memory')
})
