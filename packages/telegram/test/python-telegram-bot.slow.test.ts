// A bot of python-telegram-bot 13.15. Where it is not installed, this test is skipped.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { startForeign } from './foreign-bots.ts'
import { TOKEN, test } from './telegram.ts'

/** A Python that somebody has installed beside that of the system does not have its packages. */
const python = ['python3', '/usr/bin/python3'].find(
  program => spawnSync(program, ['-W', 'ignore', '-c', 'import telegram.ext']).status === 0,
)

test('[TELEGRAM-1.1] a python-telegram-bot bot: command, echo as a reply, keyboard, poll, album, file there and back', async ({
  skip,
  world,
  alice,
  telegram,
  atEnd,
}) => {
  if (!python) return skip('not run: apt-get install python3-python-telegram-bot')
  const program = join(import.meta.dirname, 'python-bot.py')
  const bot = startForeign([python, '-W', 'ignore', program, telegram.root, `123456:${TOKEN}`], {
    cwd: world.directory,
  })
  atEnd(() => bot.kill())
  const { toBot } = telegram
  await alice.say(toBot, '/start')
  expect(await alice.hears('Hi alice')).toMatchObject({ entities: [{ type: 'bold', offset: 0, length: 2 }] })
  const said = await alice.say(toBot, 'echo')
  expect(await alice.hears('echo')).toMatchObject({ reply_to: said.id })
  await alice.say(toBot, '/menu')
  const menu = await alice.hears('Well?')
  await alice.client.messages.press(toBot, { message: menu.id, data: 'y' }, WITHIN)
  expect((await alice.next('toast')).toast.text).toBe('Noted')
  expect((await alice.next('edited')).message.text).toBe('You said y')
  await alice.say(toBot, '/poll')
  expect((await alice.next('message', event => event.message.poll !== undefined)).message.poll?.options).toHaveLength(2)
  await alice.say(toBot, '/album')
  const first = (await alice.next('message', event => event.message.text === 'Two files')).message
  expect(first).toMatchObject({ album: expect.stringMatching(/./), file: { name: '0.txt', size: 3 } })
  await alice.hears('sent 2 in 1')
  const draft = await alice.client.files.draft(bytesOf('from alice'))
  await alice.client.files.send(toBot, { draft, name: 'a.txt', type: 'text/plain', kind: 'file' }, WITHIN)
  await draft.discard()
  const back = (await alice.next('message', event => event.message.file?.name === 'upper.txt')).message
  expect(back).toMatchObject({ text: 'Here', file: { size: 10 } })
  expect(bot.output()).not.toMatch(/Traceback/)
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
