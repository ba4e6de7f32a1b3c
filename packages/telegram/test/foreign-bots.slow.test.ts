// A program that others wrote for Telegram, with another address in its settings and no code of ours.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { foreignModules, missing, startForeign } from './foreign-bots.ts'
import { TOKEN, test } from './telegram.ts'

const noNodeRed = missing('node-red@4.1.15', 'node-red-contrib-telegrambot@19.0.1')

test('[TELEGRAM-1.1] Node-RED with the example flow of its Telegram nodes', async ({
  skip,
  world,
  alice,
  telegram,
  chat,
  atEnd,
}) => {
  skip(noNodeRed !== undefined, noNodeRed)
  const directory = join(world.directory, 'node-red')
  mkdirSync(directory)
  const example = join(foreignModules, 'node-red-contrib-telegrambot/examples/simplebot.json')
  const flow = JSON.parse(readFileSync(example, 'utf8')) as { id: string; type: string; z?: string }[]
  const tab = { id: flow.find(({ z }) => z)?.z, type: 'tab', label: 'example' }
  const nodes = flow.map(node => (node.type === 'telegram bot' ? { ...node, baseapiurl: telegram.root } : node))
  writeFileSync(join(directory, 'flows.json'), JSON.stringify([tab, ...nodes]))
  const { id = '' } = flow.find(({ type }) => type === 'telegram bot') ?? {}
  writeFileSync(join(directory, 'flows_cred.json'), JSON.stringify({ [id]: { token: `123456:${TOKEN}` } }))
  const settings = `module.exports = { flowFile: 'flows.json', credentialSecret: false, httpAdminRoot: false, httpNodeRoot: false }`
  writeFileSync(join(directory, 'settings.js'), settings)
  const program = join(foreignModules, 'node-red/red.js')
  const nodeRed = startForeign([process.execPath, program, '--userDir', directory], { cwd: directory })
  atEnd(() => nodeRed.kill())
  await alice.say(telegram.toBot, '/help')
  const help = await alice.next('message', event => event.message.text?.startsWith('/help - shows help') === true)
  expect(help.message.text).toContain(`Your chat id is ${chat}`)
  const asked = await alice.say(telegram.toBot, '/foo')
  const question = await alice.hears('Really?')
  expect(question).toMatchObject({ reply_to: asked.id, buttons: [[{ text: 'Yes' }], [{ text: 'No' }]] })
  const { data = '' } = question.buttons?.[0]?.[0] ?? {}
  await alice.client.messages.press(telegram.toBot, { message: question.id, data }, WITHIN)
  await alice.hears('Yes')
  expect(nodeRed.output()).not.toMatch(/\[error\]/)
})
