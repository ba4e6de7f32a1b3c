// A shell's view of an invalid command line, and of a gateway that cannot start.
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@postern/testkit/free-port'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { Postern, run } from './process.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-cli-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

const oneLine = /^[^\n]+\n$/

test.each([
  [['fly'], 'There is no command "fly".', 'help'],
  [[], 'Name a command.', 'help'],
  [['person'], 'postern person: ', 'person --help'],
  [['person', '--data'], 'postern person: Option', 'person --help'],
  [['person', '--what'], "postern person: Unknown option '--what'.", 'person --help'],
  [['person', 'a\nb'], 'postern person: Unexpected argument', 'person --help'],
  [['demo', 'now'], "postern demo: Unexpected argument 'now'.", 'demo --help'],
  [['backup', '--to'], 'postern backup: Option', 'backup --help'],
  [['gateway', 'now'], 'postern gateway: ', 'gateway --help'],
  [['doctor', 'relay', '--what'], "postern doctor: Unknown option '--what'", 'doctor relay --help'],
  [['relay', '--what'], "Unknown option '--what'", 'relay --help'],
  [['relay', 'invite', '--what'], "Unknown option '--what'", 'relay invite --help'],
  [['relay', 'invite', '--uses', '0'], '--uses: ', 'relay invite --help'],
  [['relay', 'ban', '--data', 'x'], 'account: ', 'relay ban --help'],
  [['relay', 'move'], '--data: ', 'relay move --help'],
])('[CLI-1.1] postern %j: one sentence, one hint, exit 2', async (args, sentence, hint) => {
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([2, ''])
  const [said, where, ...more] = stderr.split('\n')
  expect(said?.slice(0, sentence.length)).toBe(sentence)
  expect(said).toMatch(/\.$/)
  expect([where, more]).toEqual([
    expect.stringMatching(`^Run "postern ${hint}" to see (its options|the commands)\\.$`),
    [''],
  ])
})

test('[CLI-1.27] postern --version', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `postern ${manifest.version}\n`, stderr: '' })
})

test.each([
  [['person', '--data', 'x', '--requests', 'never'], '--requests'],
  [['person', '--data', 'x', '--relay', 'nowhere'], '--relay'],
  [['person', '--data', 'x', '--name', ''], '--name'],
  [['person', '--data', 'x', '--relay-invite', 'a code'], '--relay-invite'],
  [['demo', '--relay-port', '70000'], '--relay-port'],
  [['demo', '--gateway-port', 'x'], '--gateway-port'],
])('[CLI-1.1] postern %j: names %s', async (args, option) => {
  const { code, stderr } = await run(args)
  expect(code).toBe(2)
  expect(stderr.split('\n')[0]).toContain(option)
})

test.each([
  [['help'], '<command>'],
  [['--help'], '<command>'],
  [['-h'], '<command>'],
  [['fly', '--help'], '<command>'],
  [['person', '--help'], 'person'],
  [['help', 'relay', 'invite'], 'relay invite'],
  [['relay', 'invite', '--uses', '2', '-h'], 'relay invite'],
])('[CLI-1.21] postern %j shows the usage of %s', async (words, command) => {
  const stdout = expect.stringMatching(new RegExp(`^Usage: postern ${command} `))
  expect(await run(words)).toEqual({ code: 0, stdout, stderr: '' })
})

test('[CLI-1.5] a relay that takes new accounts by invite: its code lets one person in', async () => {
  const data = join(directory, 'inviting')
  const port = await freePort()
  await using relay = new Postern([
    'relay',
    '--data',
    data,
    '--listen',
    `127.0.0.1:${port}`,
    '--registration',
    'invite',
  ])
  await relay.says('listening')
  const made = await run(['relay', 'invite', '--data', data])
  expect(made).toEqual({ code: 0, stdout: expect.stringMatching(/^[a-z2-7]{26}\n$/), stderr: '' })
  const person = (name: string, ...more: string[]) =>
    new Postern([
      'person',
      '--relay',
      `http://127.0.0.1:${port}`,
      '--data',
      join(directory, name),
      '--name',
      name,
      ...more,
    ])
  await using alice = person('alice', '--relay-invite', made.stdout.trim())
  await alice.says('"ready"')
  await using mallory = person('mallory')
  await expect.poll(() => mallory.stderr).toContain('by invite only')
  await using trudy = person('trudy', '--relay-invite', made.stdout.trim())
  await expect.poll(() => trudy.stderr).toContain('has already been used')
})

describe('postern gateway', () => {
  const env = () => ({
    BOT_TOKEN: 'a-token',
    RELAY_URL: 'http://127.0.0.1:9',
    BOT_NAME: 'Bot',
    LISTEN: '127.0.0.1:0',
    DATA_DIR: join(directory, 'bot'),
  })

  test.each([
    ['BOT_TOKEN', { BOT_TOKEN: undefined }],
    ['RELAY_URL', { RELAY_URL: undefined }],
    ['BOT_NAME', { BOT_NAME: undefined }],
    ['RELAY_INVITE', { RELAY_INVITE: 'a code' }],
    ['LISTEN', { LISTEN: 'somewhere' }],
    ['WEBHOOK_SECRET', { WEBHOOK_URL: 'https://example.org' }],
    ['WEBHOOK_URL', { WEBHOOK_URL: 'https://example.org', WEBHOOK_SECRET: 's', UPDATES: 'off' }],
    ['BOT_AVATAR', { BOT_AVATAR: import.meta.filename }],
    ['DATA_DIR', { DATA_DIR: '/dev/null/bot' }],
  ])('[CLI-1.2] %s is named in one line, exit 1', async (setting, changed) => {
    const { code, stderr } = await run(['gateway'], { ...env(), DATA_DIR: join(directory, setting), ...changed })
    expect(code).toBe(1)
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain(`${setting}: `)
  })

  test('[CLI-1.2] a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    const { code, stderr } = await run(['gateway'], { ...env(), LISTEN: `127.0.0.1:${port}` })
    taken.close()
    expect([code, stderr]).toEqual([1, `LISTEN: port ${port} of 127.0.0.1 is in use.\n`])
  })

  test('[CLI-1.2] a directory in use by another process', async () => {
    await using first = new Postern(['gateway'], env())
    await first.says('listening')
    const { code, stderr } = await run(['gateway'], env())
    expect(code).toBe(1)
    expect(stderr).toMatch(/^DATA_DIR: .* in use by another process\. Stop that process first\.\n$/)
    first.signal('SIGTERM')
    expect(await first.exited).toBe(0)
  })

  test('[CLI-1.2] a database whose key is lost, or is another: nothing is touched', async () => {
    await using first = new Postern(['gateway'], env())
    await first.says('listening')
    first.signal('SIGTERM')
    expect(await first.exited).toBe(0)
    const key = join(directory, 'bot', 'db.key')
    rmSync(key)
    expect(await run(['gateway'], env())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATA_DIR: .*db\.key/),
    })
    expect(readdirSync(join(directory, 'bot'))).not.toContain('db.key')
    writeFileSync(key, Buffer.alloc(32, 7))
    expect(await run(['gateway'], env())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATA_DIR: .*db\.key/),
    })
    chmodSync(key, 0o600)
  })

  test('[CLI-4.1] signals end a gateway that waits for its relay, however many come', async () => {
    await using gateway = new Postern(['gateway'], { ...env(), DATA_DIR: join(directory, 'alone') })
    await gateway.says('listening')
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) gateway.signal(signal)
    expect(await gateway.exited).toBe(0)
    expect(gateway.stderr).toBe('')
  })
})
