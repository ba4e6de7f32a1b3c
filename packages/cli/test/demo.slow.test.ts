// `postern demo` as a process: its output works when it is pasted.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { builtApp } from '@postern/app/build'
import { freePort } from '@postern/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Postern, run } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

const root = join(import.meta.dirname, '../../..')
const shell = (line: string) => promisify(execFile)('sh', ['-c', line], { cwd: root })

let directory: string
let ports: number[]
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-demo-'))
  ports = [await freePort(), await freePort()]
})
afterAll(() => rmSync(directory, { recursive: true }))

const demoWithApp = (...more: string[]) => [
  'demo',
  ...['--relay-port', String(ports[0]), '--gateway-port', String(ports[1]), '--data', directory],
  ...more,
]
const demoArguments = (...more: string[]) => demoWithApp('--app', 'off', ...more)

async function started(): Promise<Postern> {
  const demo = new Postern(demoArguments())
  await demo.says('Ctrl-C stops it.')
  return demo
}

const inviteIn = (screen: string) => /http:\S+#i\/\S+/.exec(screen)?.[0] ?? ''
/** The line with `export`, and the request below it. */
const curlIn = (screen: string) => /^ *(export .*\n *curl .*)$/m.exec(screen)?.[1] ?? ''
const personIn = (screen: string) => /\|\s+(\S.* person .*)$/m.exec(screen)?.[1] ?? ''

test('[CLI-3.1] the lines that are printed work when they are pasted, and the link leads to an echo', async () => {
  await using demo = await started()
  const { stdout } = await shell(`${curlIn(demo.stdout)} --silent`)
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Echo', invite_url: inviteIn(demo.stdout) })

  expect(demo.stdout).toMatch(/start it with: \S.* demo --bot off$/m)

  const page = /http:\S+\/reference/.exec(demo.stdout)?.[0] ?? ''
  expect(await (await fetch(page)).text()).toContain('<rapi-doc')
  const [console = ''] = /http:\S+\/console/.exec(demo.stdout) ?? []
  expect((await fetch(console)).status).toBe(200)

  const pasted = /^ *\(echo .*\n.*$/m.exec(demo.stdout)?.[0] ?? ''
  const alice = spawn('sh', ['-c', pasted], { cwd: root })
  const said: string[] = []
  for await (const line of createInterface({ input: alice.stdout })) {
    said.push(line)
    if (line.startsWith('{"event":"message"')) alice.stdin.end()
  }
  expect(said[0]).toMatch(/^{"event":"ready"/)
  const echo = JSON.parse(said.find(line => line.startsWith('{"event":"message"')) ?? '') as object
  expect(echo).toMatchObject({ message: { text: 'Hello!', reply_to: expect.any(String), from: { name: 'Echo' } } })
  await demo.says('CHAT=')
  const [chat = '', ...more] = demo.stdout.match(/^ *CHAT=.*$/gm) ?? []
  expect([demo.stdout.match(/^ *export /gm)?.length, more]).toEqual([1, []])
  const asked = `curl --silent -H "Authorization: Bearer $BOT_TOKEN" $POSTERN_URL/v1/chats/$CHAT`
  const variables = curlIn(demo.stdout).split('\n')[0]
  const { stdout: found } = await shell([variables, chat, asked].join('\n'))
  expect(JSON.parse(found)).toMatchObject({ type: 'private', name: 'Alice' })
  demo.signal('SIGINT')
  expect([await demo.exited, demo.stderr]).toEqual([0, ''])
})

test('[CLI-3.10] a bot that was written for Telegram finds the demo at the address that it prints', async () => {
  await using demo = await started()
  const [, url, token] = /POSTERN_URL=(\S+) BOT_TOKEN=(\S+)/.exec(demo.stdout) ?? []
  expect(demo.stdout).toContain(`Telegram runs here with the address ${url} `)
  const answer = await fetch(`${url}/bot${token}/getMe`)
  expect(await answer.json()).toMatchObject({ ok: true, result: { is_bot: true, first_name: 'Echo' } })
})

test('[CLI-3.11] a hook of the demo has an address that takes posts', async () => {
  await using demo = await started()
  await using alice = new ScriptedPerson(personIn(demo.stdout).split(' person ')[1]?.split(' ') ?? [])
  await alice.ready()
  await alice.do('open', { invite: inviteIn(demo.stdout), text: 'Hello!' })
  await demo.says('CHAT=')
  const [, chat_id] = /^ *CHAT=(\S+)$/m.exec(demo.stdout) ?? []
  const [, url, token] = /POSTERN_URL=(\S+) BOT_TOKEN=(\S+)/.exec(demo.stdout) ?? []
  const post = (to: string, body: object) =>
    fetch(to, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const hook = (await (await post(`${url}/v1/hooks`, { chat_id, format: 'text' })).json()) as { url: string }
  expect(hook.url).toMatch(new RegExp(`^${url}/`))
  expect((await post(hook.url, { text: 'the disk is full' })).ok).toBe(true)
  await alice.line(() => alice.messages().some(({ text }) => text === 'the disk is full'))
})

test('[CLI-3.5] the link leads to the app, which is built once; --app names another, or none', async () => {
  const appAt = async (...more: string[]) => {
    await using demo = new Postern(demoWithApp(...more))
    await demo.says('Ctrl-C stops it.')
    const page = await (await fetch(inviteIn(demo.stdout))).text()
    return { page, isBuilding: demo.stdout.includes('Building the app') }
  }
  const built = readFileSync(join(await builtApp(), 'index.html'), 'utf8')
  expect(await appAt()).toEqual({ page: built, isBuilding: false })
  writeFileSync(join(directory, 'index.html'), 'another app')
  expect((await appAt('--app', directory)).page).toBe('another app')
  expect((await appAt('--app', 'off')).page).toMatch(/^This is a Postern relay\./)
  expect(await run(demoWithApp('--app', join(directory, 'nowhere')))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^--app: .*ENOENT.*\n$/),
  })
})

test('[CLI-3.2] a second start goes on with the same bot and token, and answers nothing twice', async () => {
  await using first = await started()
  const options = personIn(first.stdout).split(' person ')[1]?.split(' ') ?? []
  await using alice = new ScriptedPerson(options)
  await alice.ready()
  const before = alice.messages().length
  const { id: chat } = await alice.do('open', { invite: inviteIn(first.stdout), text: 'once' })
  await alice.line(() => alice.messages().length > before)
  first.signal('SIGINT')
  await first.exited
  await using second = await started()
  expect([inviteIn(second.stdout), curlIn(second.stdout)]).toEqual([inviteIn(first.stdout), curlIn(first.stdout)])
  expect(statSync(join(directory, 'demo.json')).mode & 0o777).toBe(0o600)
  await alice.do('send', { chat, text: 'twice' })
  await alice.line(() => alice.messages().some(({ text }) => text === 'twice'))
  expect(alice.messages().filter(({ text }) => text === 'once')).toHaveLength(1)
})

test('[CLI-3.3] what is in use is said in one line that names the option', async () => {
  await using _demo = await started()
  const [relayPort, gatewayPort] = ports
  expect(await run(demoArguments())).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^--data: [^\n]*in use[^\n]*\n$/),
  })
  const elsewhere = ['--data', join(directory, 'elsewhere')]
  expect(await run(demoArguments(...elsewhere))).toMatchObject({
    code: 1,
    stderr: `--relay-port: port ${relayPort} is in use. Choose another one, as in --relay-port ${(relayPort ?? 0) + 1}.\n`,
  })
  expect(await run(demoArguments(...elsewhere, '--relay-port', '0'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^--gateway-port: port ${gatewayPort} is in use`)),
  })
  expect(await run(demoArguments('--relay-port', '0'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^--relay-port: the bot in .* uses port ${relayPort}\\.`)),
  })
})

test('[CLI-3.2] without --relay-port the port of the first start is taken again', async () => {
  await using first = await started()
  first.signal('SIGTERM')
  await first.exited
  await using second = new Postern(['demo', '--app', 'off', '--gateway-port', '0', '--data', directory])
  await second.says('Ctrl-C stops it.')
  expect(inviteIn(second.stdout)).toBe(inviteIn(first.stdout))
})
