// The built SDK on this Node and on other runtimes: the ones in RUNTIMES, the system's Node, and Bun and Deno in the path.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { BotWorld } from '@postern/testkit/bots'
import { expect, test as plain } from 'vitest'

const PACKAGE = join(import.meta.dirname, '..')
const TSC = join(PACKAGE, '../../node_modules/.bin/tsc')

/** A bot that uses all that differs between runtimes: polls, streams in both directions, and the crypto of the webhook. */
const BOT = `
import { Bot } from '@postern/sdk'

const bot = new Bot()
bot.on('message:file', async ctx => {
  const { stream } = await ctx.file()
  await ctx.replyFile(stream, { name: ctx.message.file.name })
})
bot.hears('webhook', async ctx => {
  const secret = 'whsec_' + btoa('a secret of the gateway')
  const body = JSON.stringify({ id: 1, chat_id: ctx.chatId, type: 'of the future' })
  const [id, timestamp] = ['msg_1', String(Math.floor(Date.now() / 1000))]
  const bytes = text => new TextEncoder().encode(text)
  const key = await crypto.subtle.importKey('raw', bytes('a secret of the gateway'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(id + '.' + timestamp + '.' + body)))
  const ask = signature => bot.webhook({ secret })(new Request('http://localhost/', {
    method: 'POST',
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
    body,
  }))
  const right = await ask('v1,' + btoa(String.fromCharCode(...signed)))
  const wrong = await ask('v1,' + btoa('x'.repeat(32)))
  await ctx.reply('webhook ' + right.status + ' ' + wrong.status)
})
bot.on('message:text', ctx => ctx.reply('echo ' + ctx.text))
await bot.start({ signals: true })
`

type Runtime = { name: string; command: string; args: string[] }

function runtimes(): Runtime[] {
  const named = (process.env['RUNTIMES'] ?? '').split(delimiter).filter(path => path !== '')
  return [process.execPath, ...named, 'bun', 'deno', '/usr/bin/node'].flatMap(command => {
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
    const version = stdout?.split('\n')[0]?.trim() ?? ''
    if (status !== 0) {
      console.warn(`${command} is not installed here: the SDK is not tried on it`)
      return []
    }
    if (/^v1\d\./.test(version)) return []
    const args = basename(command).startsWith('deno') ? ['run', '--allow-all', 'bot.js'] : ['bot.js']
    return [{ name: `${basename(command)} ${version}`, command, args }]
  })
}

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('home', ({}, { onCleanup }) => {
    const home = mkdtempSync(join(tmpdir(), 'postern-runtime-'))
    onCleanup(() => rmSync(home, { recursive: true }))
    const installed = join(home, 'node_modules/@postern/sdk')
    mkdirSync(installed, { recursive: true })
    const words = ['-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', join(installed, 'dist')]
    execFileSync(TSC, words, { stdio: 'inherit' })
    cpSync(join(PACKAGE, 'package.json'), join(installed, 'package.json'))
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'my-bot', type: 'module', private: true }))
    writeFileSync(join(home, 'bot.js'), BOT)
    return home
  })
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', async ({}, { onCleanup }) => {
    const world = await BotWorld.start({ withinMs: 60_000 })
    onCleanup(() => world.stop())
    return world
  })

test.for(runtimes())(
  '[SDK-5.1] $name: texts, files, the webhook, and nothing twice wherever it is killed',
  { timeout: 300_000 },
  async ({ command, args }, { world, home }) => {
    const bot = await world.bot({ command, args, cwd: home })
    const alice = await world.person('alice')
    await alice.opens(bot)
    const points = await world.killEverywhere(bot, async () => {
      await alice.says('hello')
      await alice.hears('echo hello')
    })
    expect(points).toHaveLength(2)
    const bytes = crypto.getRandomValues(new Uint8Array(50_000))
    await alice.sendsFile('noise.bin', bytes)
    const back = await alice.hearsMessage(({ file }) => file?.name === 'noise.bin')
    expect(Buffer.from(await alice.reads(back)).equals(bytes)).toBe(true)
    await alice.says('webhook')
    await alice.hears('webhook 200 401')
    // In order, by SIGTERM.
    await world.restart(bot)
    await alice.says('again')
    await alice.hears('echo again')
  },
)
