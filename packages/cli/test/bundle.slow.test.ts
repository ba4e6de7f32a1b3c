// The bundle as it is shipped: its files, and the parts of node_modules that cannot be bundled.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message, Update } from '@postern/bot-api'
import { test as base, expect } from 'vitest'
import { bundle } from '../build/bundle.ts'
import { png } from './png.ts'
import { Postern, run } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

const NODE_MODULES = join(import.meta.dirname, '../../../node_modules')
const TOKEN = 'token-of-the-operator'
const TEXT = 'Is anybody there?'
const PAGE = 'the page of the app'

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', { scope: 'file' }, ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-bundle-'))
    onCleanup(() => rmSync(directory, { recursive: true }))
    return directory
  })
  .extend('shipped', { scope: 'file' }, async ({ directory }) => {
    const [app, shipped] = [join(directory, 'built-app'), join(directory, 'dist')]
    mkdirSync(app)
    writeFileSync(join(app, 'index.html'), PAGE)
    await bundle(shipped, { app })
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(shipped, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
      optionalDependencies: Record<string, string>
    }
    expect(optionalDependencies).toHaveProperty('sodium-native')
    mkdirSync(join(shipped, 'node_modules'))
    for (const name of Object.keys(dependencies))
      symlinkSync(join(NODE_MODULES, name), join(shipped, 'node_modules', name))
    return { folder: shipped, launcher: join(shipped, 'postern.js') }
  })

async function urlOf(process: Postern, words: string): Promise<string> {
  await process.says(words)
  return /"url":"([^"]+)"/.exec(process.stdout)?.[1] ?? ''
}

async function call<Answer>(url: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const answer = await fetch(url, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  return (await answer.json()) as Answer
}

/** An update about its chat comes before it. */
async function firstMessage(api: string): Promise<Message> {
  for (let offset = 0; ; ) {
    const updates = await call<Update[]>(`${api}/v1/updates?offset=${offset}&timeout=60`)
    for (const update of updates) {
      if (update.type === 'message') return update.message
      offset = update.id + 1
    }
  }
}

test('[CLI-1.15] relay, gateway, person and doctor run from it: a text comes back, and a photo is shown', async ({
  directory,
  shipped,
}) => {
  await using relay = new Postern(['relay', '--listen', '127.0.0.1:0', '--data', join(directory, 'relay')], {}, shipped)
  const relayUrl = await urlOf(relay, '"msg":"listening"')
  expect(await (await fetch(relayUrl)).text()).toBe(PAGE)
  const env = { BOT_TOKEN: TOKEN, BOT_NAME: 'Echo', RELAY_URL: relayUrl, LISTEN: '127.0.0.1:0', REFERENCE: 'on' }
  await using gateway = new Postern(['gateway'], { ...env, DATA_DIR: join(directory, 'gateway') }, shipped)
  const api = await urlOf(gateway, 'gateway listening')
  expect(await (await fetch(`${api}/reference/rapidoc.js`)).text()).toContain('RapiDoc')
  await using alice = new ScriptedPerson(
    ['--relay', relayUrl, '--data', join(directory, 'alice'), '--name', 'alice'],
    shipped,
  )
  await alice.ready()
  const { invite_url: invite } = await call<{ invite_url: string }>(`${api}/v1/me`)
  await alice.do('open', { invite, text: TEXT })
  const { chat_id: asking, text } = await firstMessage(api)
  await call(`${api}/v1/chats/${asking}/messages`, { text })
  const heard = await alice.line(({ event }) => event === 'message')
  expect(heard).toMatchObject({ message: { text: TEXT } })
  const path = join(directory, 'lake.png')
  writeFileSync(path, png(640, 400))
  const { chat_id: chat } = heard['message'] as Message
  expect(await alice.do('file', { chat, path })).toMatchObject({ file: { kind: 'photo', width: 640 } })
  const doctor = await run(['doctor', '--deep'], { ...env, DATA_DIR: join(directory, 'gateway') }, shipped)
  expect([doctor.code, doctor.stderr]).toEqual([0, ''])
  for (const ok of ['library', 'login', 'files', 'database'])
    expect(doctor.stdout).toMatch(new RegExp(`^ok {4}${ok} `, 'm'))
  for (const process of [gateway, relay]) {
    process.signal('SIGTERM')
    expect([await process.exited, process.stderr]).toEqual([0, ''])
  }
})

test('[CLI-1.15] what is wrong with a command line is said as from the sources', async ({ shipped }) => {
  expect(await run(['nonsense'], {}, shipped)).toEqual(await run(['nonsense']))
  expect(await run(['--version'], {}, shipped)).toEqual(await run(['--version']))
  expect(await run(['gateway'], {}, shipped)).toEqual(await run(['gateway']))
})

test('[CLI-1.15] a reference page that was not shipped along is named by its setting', async ({
  directory,
  shipped,
}) => {
  const file = join(shipped.folder, 'rapidoc-min.js.gz')
  renameSync(file, `${file}.away`)
  const env = { BOT_TOKEN: TOKEN, BOT_NAME: 'Echo', RELAY_URL: 'http://127.0.0.1:9', LISTEN: '127.0.0.1:0' }
  const without = { ...env, DATA_DIR: join(directory, 'without'), REFERENCE: 'on' }
  const { code, stderr } = await run(['gateway'], without, shipped)
  renameSync(`${file}.away`, file)
  expect(code).toBe(1)
  expect(stderr).toBe('REFERENCE: cannot serve its page because rapidoc-min.js.gz is missing.\n')
})

test('[CLI-1.15] the licences of what is in it lie beside it', ({ shipped }) => {
  const licences = readFileSync(join(shipped.folder, 'THIRD-PARTY.txt'), 'utf8')
  for (const library of ['fastify', 'ts-mls', 'ws', 'zod', 'pino', 'rapidoc'])
    expect(licences).toContain(`==== ${library} `)
})
