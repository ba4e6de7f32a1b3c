// A gateway is backed up while it works, deleted and restored: with the command, as an operator does it.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bot, Message, Update } from '@postern/bot-api'
import type { ChatId } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { type TestGateway, type TestPerson, WITHIN, type World } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'vitest'
import { Postern, run } from './process.ts'

/** On a busy machine even short work takes long enough for a progress line. */
const withoutProgress = (said: string): string =>
  said.replaceAll(/^(\{"progress".*|.* (copied|written|read)|Checking .*)\n/gm, '')

const dataOf = (world: World) => join(world.directory, 'gateway')

/** In another process: this one has the database, and would drop its locks by opening and closing the file. */
const digestOf = (path: string): string => {
  const hash = "createHash('sha256').update(require('fs').readFileSync(process.argv[1])).digest('hex')"
  return execFileSync(process.execPath, ['-p', `require('crypto').${hash}`, path], { encoding: 'utf8' })
}

class BotOperator {
  readonly #gateway: TestGateway
  #offset = 0

  constructor(gateway: TestGateway) {
    this.#gateway = gateway
  }

  async me(): Promise<Bot> {
    return (await this.#gateway.api<Bot>('GET', '/v1/me')).body
  }

  async say(chat: string, text: string): Promise<Message> {
    return (await this.#gateway.api<Message>('POST', `/v1/chats/${chat}/messages`, { text })).body
  }

  /** Polls until an update has such a text; returns its id. */
  async hears(text: string): Promise<number> {
    for (;;) {
      const path = `/v1/updates?timeout=60&limit=1&offset=${this.#offset}`
      for (const update of (await this.#gateway.api<Update[]>('GET', path)).body) {
        this.#offset = update.id + 1
        if (update.type === 'message' && update.message.text === text) return update.id
      }
    }
  }
}

const test = base
  .extend('gateway', async ({ world }) => {
    const gateway = await world.gateway()
    await gateway.client.whenOnline(WITHIN)
    return gateway
  })
  .extend(
    'backup',
    ({ world }) =>
      (...options: string[]) =>
        run(['backup', '--data', dataOf(world), ...options]),
  )
  .extend('secondStart', ({ world }) => () => {
    return run(['gateway'], { BOT_TOKEN: 'test-token', LISTEN: '127.0.0.1:0', DATA_DIR: dataOf(world) })
  })

/** Returns the chat between the person and the bot. */
async function becomeAcquainted(alice: TestPerson, operator: BotOperator): Promise<ChatId> {
  const { id } = await alice.openInvite((await operator.me()).invite_url)
  await alice.say(id, 'before')
  await operator.hears('before')
  return id
}

test('[CLI-5.1, CLI-5.2] what was acknowledged before a backup is in it, and the same bot goes on from it under new ids; nobody else opens the directory meanwhile or later', async ({
  world,
  gateway,
  alice,
  backup,
  secondStart,
}) => {
  const operator = new BotOperator(gateway)
  const chat = await becomeAcquainted(alice, operator)
  const { id } = await operator.me()
  await operator.say(alice.id, 'kept')
  const file = join(world.directory, 'backup.age')
  const identity = await generateIdentity()
  const identityFile = join(world.directory, 'identity')
  writeFileSync(identityFile, `# created: today\n${identity}\n`)
  const made = await backup('--to', file, '--recipient', await identityToRecipient(identity))
  expect([made.code, withoutProgress(made.stderr)]).toEqual([0, ''])
  expect(made.stdout).toMatch(/^Backed up the gateway: 3 files, [\d.]+ kB, in [^\n]+\.\n$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'latin1')).toMatch(/^age-encryption\.org\/v1\n/)
  expect(readdirSync(dataOf(world)).toSorted()).toEqual([
    'control.sock',
    'core.db',
    'core.db-wal',
    'db.key',
    'files',
    'last-backup',
  ])
  expect(await secondStart()).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another process') })

  await alice.say(chat, 'since then')
  const given = await operator.hears('since then')
  await operator.say(alice.id, 'not in the backup')
  await alice.hears('not in the backup')
  await world.closeGateway(gateway)
  rmSync(dataOf(world), { recursive: true })
  const restored = await run(['restore', file, '--data', dataOf(world), '--identity', identityFile])
  expect([restored.code, withoutProgress(restored.stderr)]).toEqual([0, ''])
  expect(readdirSync(dataOf(world)).toSorted()).toEqual(['core.db', 'db.key'])
  expect(statSync(dataOf(world)).mode & 0o777).toBe(0o700)

  const again = new BotOperator(await world.gateway())
  expect((await again.me()).id).toBe(id)
  expect(await again.hears('since then')).toBeGreaterThan(given)
  await again.say(alice.id, 'with new keys')
  await alice.hears('with new keys')
  await alice.say(chat, 'welcome back')
  await again.hears('welcome back')
  expect(alice.texts(chat)).toEqual([
    'before',
    'kept',
    'since then',
    'not in the backup',
    'with new keys',
    'welcome back',
  ])
})

test('[CLI-5.2] while the file stands still the gateway sends and hears, a second one is refused, and a second backup too', async ({
  world,
  gateway,
  alice,
  backup,
  secondStart,
}) => {
  const operator = new BotOperator(gateway)
  await becomeAcquainted(alice, operator)
  const held = Promise.withResolvers<string>()
  const request = { command: 'hold', arguments: {} }
  const holding = askControl(dataOf(world), {
    request,
    onProgress: step => held.resolve('held' in step ? String(step.held) : ''),
  })
  const id = await held.promise
  const before = digestOf(join(dataOf(world), 'core.db'))
  for (let at = 0; at < 20; at++) await operator.say(alice.id, `text ${at}`)
  await alice.hears('text 19')
  expect(await secondStart()).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another process') })
  expect(await backup('--to', join(world.directory, 'b.tar'), '--plain')).toMatchObject({
    code: 1,
    stderr: 'Another backup of this data directory is running. Wait until it is done.\n',
  })
  expect(digestOf(join(dataOf(world), 'core.db'))).toBe(before)
  await askControl(dataOf(world), { request: { command: 'release', arguments: { held: id } } })
  await holding
  expect(await backup('--to', join(world.directory, 'b.tar'), '--plain')).toMatchObject({ code: 0 })
})

test('[CLI-5.3] where nothing runs the backup is made all the same, and nothing that is there is changed', async ({
  world,
  gateway,
  alice,
  backup,
}) => {
  await becomeAcquainted(alice, new BotOperator(gateway))
  await world.closeGateway(gateway)
  const before = readFileSync(join(dataOf(world), 'core.db'))
  const file = join(world.directory, 'backup.tar')
  expect(await backup('--to', file, '--plain', '--json')).toMatchObject({ code: 0 })
  expect(readFileSync(join(dataOf(world), 'core.db')).equals(before)).toBe(true)
  expect(readdirSync(dataOf(world)).toSorted()).toEqual(['core.db', 'db.key', 'files', 'last-backup'])
  expect(readFileSync(file).includes(before)).toBe(true)
})

test('[CLI-5.5] a backup takes no place that is taken, and one that is killed leaves none: what is left of it is not for long', async ({
  world,
  gateway,
  alice,
  backup,
}) => {
  await becomeAcquainted(alice, new BotOperator(gateway))
  const taken = join(world.directory, 'taken')
  writeFileSync(taken, 'mine')
  expect(await backup('--to', taken, '--plain')).toMatchObject({ code: 1, stdout: '' })
  expect(readFileSync(taken, 'utf8')).toBe('mine')
  const file = join(world.directory, 'killed.age')
  const passphrase = join(world.directory, 'passphrase')
  writeFileSync(passphrase, 'six words of a person\n')
  // Deriving a key from the passphrase takes a second, in which the copy is made and nothing has a name yet.
  await using killed = new Postern(['backup', '--data', dataOf(world), '--to', file, '--passphrase-file', passphrase])
  const scratchIn = () => readdirSync(dataOf(world)).filter(name => name.startsWith('.backup-'))
  await expect.poll(scratchIn, { interval: 5, timeout: 30_000 }).toHaveLength(1)
  killed.signal('SIGKILL')
  await killed.exited
  expect(existsSync(file)).toBe(false)
  // Too old to be in use.
  for (const name of scratchIn()) utimesSync(join(dataOf(world), name), 0, 0)
  // Until the gateway has noticed the kill, it refuses a second backup beside the first.
  await expect.poll(() => backup('--to', file, '--plain'), { timeout: 30_000 }).toMatchObject({ code: 0 })
  expect(scratchIn()).toEqual([])
  expect(await run(['restore', file, '--verify'])).toMatchObject({ code: 0 })
})

test('[CLI-5.12] in a folder backups have names of their own, and of one bot only the newest stay', async ({
  world,
  gateway,
  backup,
}) => {
  await gateway.client.whenOnline(WITHIN)
  const folder = join(world.directory, 'backups')
  const row = `gateway-${gateway.client.account.slice(0, 12)}-`
  const older = [`${row}20200101T000000Z.tar`, `${row}20200102T000000Z.age`]
  const others = ['gateway-anotherbot22-20200101T000000Z.tar', `${row}notes.txt`, `${row}20200101T000000Z.tar.part`]
  mkdirSync(folder)
  for (const name of [...older, ...others]) writeFileSync(join(folder, name), '')
  const { code, stdout } = await backup('--to', folder, '--keep', '2', '--plain')
  expect(code).toBe(0)
  const made = readdirSync(folder).find(name => ![...older, ...others].includes(name)) ?? ''
  expect(made).toMatch(new RegExp(`^${row}\\d{8}T\\d{6}Z\\.tar$`))
  expect(stdout).toContain(join(folder, made))
  expect(new Set(readdirSync(folder))).toEqual(new Set([...others, older[1], made]))
  expect(await run(['restore', join(folder, made), '--verify'])).toMatchObject({ code: 0 })
  for (const wrong of [
    ['--to', folder, '--keep', '0', '--plain'],
    ['--to', join(folder, 'file'), '--keep', '2', '--plain'],
  ])
    expect(await backup(...wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining('--keep') })
})

test('[CLI-5.8] standard output carries the archive alone, JSON says the same to programs, and a wrong command line is exit code 2', async ({
  world,
  gateway,
  backup,
}) => {
  await gateway.client.whenOnline(WITHIN)
  const piped = await backup('--to', '-', '--plain', '--json')
  expect(piped.code).toBe(0)
  expect(piped.stdout.slice(0, 13)).toBe('manifest.json')
  expect(JSON.parse(withoutProgress(piped.stderr))).toEqual({
    done: {
      kind: 'gateway',
      to: '-',
      schema: expect.any(Number),
      identity: gateway.client.account,
      files: 3,
      bytes: expect.any(Number),
      missing: 0,
    },
  })
  const none = await backup('--to', join(world.directory, 'none'))
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('a backup contains all keys') })
  for (const wrong of [
    ['--to', 'x', '--recipient', 'age1wrong'],
    ['--to', 'x', '--plain', '--passphrase-file', 'y'],
    ['--to', 'x', '--passphrase-file', '/nowhere'],
    ['--plain'],
  ])
    expect(await backup(...wrong)).toMatchObject({ code: 2, stdout: '' })
  expect(await run(['restore'])).toMatchObject({ code: 2 })
  expect(await run(['backup', '--data', world.directory, '--to', 'x', '--plain'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^--data: there is no gateway and no relay in [^\n]+\n$/),
  })
})

test('[CLI-5.14] a new backup takes no weak passphrase, and one that was made under a short one is restored', async ({
  world,
}) => {
  const passphrase = join(world.directory, 'short')
  const file = join(world.directory, 'backup')
  await world.gateway()
  for (const weak of ['x', 'elevenchars', 'aaaaaaaaaaaaaaaa', 'abcdabcdabcdabcd']) {
    writeFileSync(passphrase, `${weak}\n`)
    const refused = await run(['backup', '--data', dataOf(world), '--to', file, '--passphrase-file', passphrase])
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('at least 12 characters') })
    expect(existsSync(file)).toBe(false)
  }
  writeFileSync(passphrase, 'six words of a person\n')
  const made = await run(['backup', '--data', dataOf(world), '--to', file, '--passphrase-file', passphrase])
  expect(made.code).toBe(0)
  // Encrypted again under a short one, as an older version did.
  const decrypter = new Decrypter()
  decrypter.addPassphrase('six words of a person')
  const encrypter = new Encrypter()
  encrypter.setPassphrase('x')
  encrypter.setScryptWorkFactor(10)
  writeFileSync(file, await encrypter.encrypt(await decrypter.decrypt(readFileSync(file))))
  writeFileSync(passphrase, 'x\n')
  expect(await run(['restore', file, '--verify', '--passphrase-file', passphrase])).toMatchObject({ code: 0 })
})

test('[CLI-5.11] a gateway on a plain copy of a directory that was in use says that it is damaged, in one line, and exits 1', async ({
  world,
  gateway,
  alice,
}) => {
  const operator = new BotOperator(gateway)
  const chat = await becomeAcquainted(alice, operator)
  await world.closeGateway(gateway)
  const path = join(dataOf(world), 'core.db')
  const earlier = readFileSync(path)
  const again = await world.gateway()
  await again.client.whenOnline(WITHIN)
  for (let at = 0; at < 60; at++) await alice.say(chat, `text ${at} ${'x'.repeat(1000)}`)
  await new BotOperator(again).hears(`text 59 ${'x'.repeat(1000)}`)
  await world.closeGateway(again)
  // As a slow copy finds them: the first pages from one time, the others from a later one.
  const from = Math.floor(earlier.length / 4096 / 3) * 4096
  writeFileSync(path, Buffer.concat([earlier.subarray(0, from), readFileSync(path).subarray(from)]))
  const env = { BOT_TOKEN: 'test-token', LISTEN: '127.0.0.1:0', DATA_DIR: dataOf(world) }
  const { code, stderr } = await run(['gateway'], env)
  expect([code, stderr]).toEqual([1, 'DATA_DIR: The database is damaged. Restore the data directory from a backup.\n'])
})

test('[GATEWAY-6.8, GATEWAY-6.10] a webhook of the API and its pause are in a backup', async ({
  world,
  gateway,
  backup,
}) => {
  await gateway.api('PUT', '/v1/webhook', { url: 'http://127.0.0.1:9/', secret: 'a-secret' })
  await gateway.api('POST', '/v1/webhook/pause')
  const file = join(world.directory, 'backup.age')
  const identity = await generateIdentity()
  const identityFile = join(world.directory, 'identity')
  writeFileSync(identityFile, `${identity}\n`)
  expect(await backup('--to', file, '--recipient', await identityToRecipient(identity))).toMatchObject({ code: 0 })
  await world.closeGateway(gateway)
  rmSync(dataOf(world), { recursive: true })
  const restored = await run(['restore', file, '--data', dataOf(world), '--identity', identityFile])
  expect(restored.code).toBe(0)
  const again = await world.gateway()
  expect((await again.api('GET', '/v1/webhook')).body).toMatchObject({ enabled: true, paused: true })
})
