// A bot that is killed at every point of its handler, and started again each time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { SOON, test } from './fixtures.ts'

function startBot(env: Record<string, string>) {
  const bot = spawn(process.execPath, [join(import.meta.dirname, 'bots/killed-bot.ts')], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(bot, 'exit')
  const kill = async () => {
    bot.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  return { exited, kill }
}

/** Four requests, each with a point before and after. */
const POINTS = 8

test('[SDK-3.5] killed before and after each request of a handler, every update is handled and nothing comes twice', {
  timeout: 300_000,
}, async ({ world, alice, chat, address }) => {
  const handledFile = join(world.directory, 'handled')
  const env = { POSTERN_URL: address.url, POSTERN_TOKEN: address.token, HANDLED_FILE: handledFile }
  for (let at = 1; at <= POINTS; at += 1) {
    await alice.say(chat, `m${at}`)
    // Nothing was confirmed: the first message is handled again, and the bot dies one point later.
    expect(await startBot({ ...env, KILL_AT: String(at) }).exited).toEqual([null, 'SIGKILL'])
  }
  const last = startBot(env)
  await alice.say(chat, 'end')
  const ours = () => alice.texts(chat).map(text => text.replace(/ by \d+$/, ''))
  await expect.poll(ours, SOON).toContain('end: done')
  await last.kill()
  const names = [...Array.from({ length: POINTS }, (_, at) => `m${at + 1}`), 'end']
  const expected = names.flatMap(name => [name, `${name}: edited`, `${name}: file`, `${name}: done`])
  await expect.poll(() => ours().toSorted(), SOON).toEqual(expected.toSorted())
  expect(new Set(readFileSync(handledFile, 'utf8').trim().split('\n'))).toEqual(new Set(names))
})
