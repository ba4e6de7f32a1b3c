// The doctor's findings about the machine: settings, directory, disk, backups and the program, with a fault planted in each.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '@postern/protocol'
import { test as base, expect } from 'vitest'
import { checkDisk } from '../src/doctor/check-disk.ts'
import { thisMachine } from '../src/doctor/machine.ts'
import { runChecks } from '../src/doctor/run-checks.ts'
import { doctor, goodMachine } from './doctor.ts'

const isRoot = process.getuid?.() === 0

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('folder', ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-doctor-'))
    onCleanup(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  })
  /** As a gateway leaves it, as far as names, owners and modes matter. */
  .extend('directory', ({ folder }) => {
    const directory = join(folder, 'data')
    mkdirSync(directory, { mode: 0o700 })
    writeFileSync(join(directory, 'core.db'), '', { mode: 0o600 })
    writeFileSync(join(directory, 'db.key'), Buffer.alloc(32, 1), { mode: 0o600 })
    return directory
  })
  .extend('env', ({ directory }) => ({
    BOT_TOKEN: 'a-token-that-is-long-enough',
    LISTEN: '127.0.0.1:0',
    DATA_DIR: directory,
  }))

test('[CLI-6.6] a directory for its owner alone is in order', async ({ env, directory }) => {
  const { of } = await doctor([], env)
  expect(of('directory')).toEqual([expect.stringMatching(new RegExp(`^ok only user \\d+ has access to ${directory}`))])
})

test.for([
  [0o755, 'warn', 'can list'],
  [0o750, 'warn', 'group'],
  [0o777, 'FAIL', 'every user of this machine can write to'],
  [0o2770, 'ok', 'has access to'],
] as const)('[CLI-6.6] a directory with mode %o: %s', async ([mode, state, words], { env, directory }) => {
  chmodSync(directory, mode)
  const { of, code } = await doctor([], env)
  expect(of('directory')).toEqual([expect.stringMatching(new RegExp(`^${state} .*${words}`))])
  expect(code).toBe(state === 'FAIL' ? 1 : 0)
})

test('[CLI-6.6] a key that everybody can read is found', async ({ env, directory }) => {
  chmodSync(join(directory, 'db.key'), 0o644)
  const { of } = await doctor([], env)
  expect(of('directory')).toEqual([expect.stringMatching(/^FAIL every user .* read db\.key → chmod go= .*db\.key$/)])
})

test('[CLI-6.6] a directory of another user is found', async ({ env }) => {
  const { of, code } = await doctor([], env, { machine: { uid: 4711 } })
  expect(of('directory')).toEqual([
    expect.stringMatching(/^FAIL .* belongs to user \d+, but the doctor runs as user 4711 → /),
  ])
  expect(code).toBe(1)
})

test.runIf(isRoot)(
  '[CLI-6.6] a file of another user in the directory is found by root, too',
  async ({ env, directory }) => {
    chownSync(directory, 1000, 1000)
    chownSync(join(directory, 'core.db'), 1000, 1000)
    const { of } = await doctor([], env)
    const line = /^FAIL db\.key in .* belongs to user 0, but the directory to user 1000 → chown -R 1000 /
    expect(of('directory')).toEqual([expect.stringMatching(line)])
  },
)

test('[CLI-6.6] a directory that is not there, that cannot be made, or is a file', async ({ env, folder }) => {
  const first = { BOT_NAME: 'bot', RELAY_URL: 'http://127.0.0.1:9' }
  const missing = await doctor([], { ...env, ...first, DATA_DIR: join(folder, 'a', 'b') })
  expect(missing.of('directory')).toEqual([
    expect.stringMatching(/^warn .* does not exist → the first start creates it/),
  ])
  expect(missing.of('backup')).toEqual([])
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const taken = await doctor([], { ...env, DATA_DIR: file })
  expect(taken.of('directory')).toEqual([expect.stringMatching(/^FAIL .* is not a directory → .*DATA_DIR/)])
  const within = await doctor([], { ...env, ...first, DATA_DIR: join(file, 'x') })
  expect(within.of('directory')).toEqual([expect.stringMatching(/^FAIL /)])
})

test.for([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0x794c7630, 'overlay'],
  [0x01021994, 'tmpfs'],
] as const)('[CLI-6.6] a file system of kind %i is warned of: %s', async ([type, name], { env }) => {
  const machine = { readDisk: () => ({ ...goodMachine().readDisk('/'), type }) }
  const { of, code } = await doctor([], env, { machine })
  expect(of('disk')).toEqual([expect.stringMatching(new RegExp(`^warn .* is on ${name}, .* → `))])
  expect(code).toBe(0)
})

test('[CLI-6.6] what this machine says of its disks is read: /dev/shm is memory, and no disk', () => {
  const found = checkDisk({ directory: '/dev/shm/not/there', machine: thisMachine() })
  expect(found[0]).toMatchObject({ state: 'warn', text: expect.stringContaining('tmpfs') })
})

test.for([
  [{ freeBytes: 1e6 }, 'FAIL', 'the disk has 1.0 MB free'],
  [{ freeBytes: 3e8 }, 'warn', 'the disk has 300.0 MB free'],
  [{ freeFiles: 3 }, 'warn', 'the disk can hold only 3 more files'],
  [{ freeFiles: undefined }, 'ok', '1.0 TB free'],
] as const)('[CLI-6.6] a disk with %j: %s', async ([disk, state, words], { env }) => {
  const machine = { readDisk: () => ({ ...goodMachine().readDisk('/'), ...disk }) }
  const { of } = await doctor([], env, { machine })
  expect(of('disk')).toEqual([expect.stringMatching(new RegExp(`^${state} ${words}`))])
})

const noted = (text: string) => ({ text })
test.for([
  ['none', undefined, /^warn no backup is recorded/],
  ['half a line', noted('2026-11-'), /^warn no backup is recorded/],
  ['nonsense', noted('yesterday\u001b[2J'), /^warn no backup is recorded/],
  ['an hour ago', noted(new Date(Date.now() - 3_600_000).toISOString()), /^ok the last backup is 60 minutes old/],
  ['a week ago', noted(new Date(Date.now() - 7 * DAY_MS).toISOString()), /^ok the last backup is 7 days old/],
  [
    'nine days ago',
    noted(new Date(Date.now() - 9 * DAY_MS).toISOString()),
    /^warn the last backup is 9 days old .* → /,
  ],
  ['tomorrow', noted(new Date(Date.now() + DAY_MS).toISOString()), /^warn the last backup is dated in the future/],
] as const)('[CLI-6.12] of backups is noted: %s', async ([, note, line], { env, directory }) => {
  if (note) writeFileSync(join(directory, 'last-backup'), `${note.text}\n`)
  const { of } = await doctor([], env)
  expect(of('backup')).toEqual([expect.stringMatching(line)])
})

test.for([
  ['BOT_TOKEN', { BOT_TOKEN: '' }],
  ['LISTEN', { LISTEN: 'somewhere' }],
  ['RELAY_URL', { RELAY_URL: 'ftp://x' }],
  ['WEBHOOK_SECRET', { WEBHOOK_URL: 'https://example.org' }],
  ['HOOKS_URL', { HOOKS_URL: 'https://example.org/?x' }],
] as const)(
  '[CLI-6.5] a setting with which no gateway starts is found, and the rest is still looked at: %s',
  async ([name, changed], { env }) => {
    const { of, code } = await doctor([], { ...env, ...changed })
    expect(of('settings')).toEqual([expect.stringMatching(new RegExp(`^FAIL ${name}: .* → correct the setting`))])
    expect(of('directory')).toEqual([expect.stringMatching(/^ok /)])
    expect(code).toBe(1)
  },
)

test('[CLI-6.5] the first start needs more than later ones', async ({ env, directory }) => {
  expect((await doctor([], env)).of('settings')).toEqual(['ok all settings are valid'])
  rmSync(join(directory, 'core.db'))
  expect((await doctor([], env)).of('settings')).toEqual([expect.stringMatching(/^FAIL RELAY_URL: .*first start/)])
})

test('[CLI-6.5] what is not safe is warned of, each in a line', async ({ env }) => {
  const { of } = await doctor([], { ...env, BOT_TOKEN: 'short', RELAY_URL: 'http://relay.invalid' })
  expect(of('settings')).toEqual([
    expect.stringMatching(/^warn BOT_TOKEN has fewer than .* → choose/),
    expect.stringMatching(/^warn the connection to the relay relay\.invalid is not encrypted.* → use an https/),
  ])
})

test('[CLI-6.5] settings in a file have more weight than the environment', async ({ env, folder }) => {
  const file = join(folder, 'helper.env')
  writeFileSync(file, '# a comment\nLISTEN="somewhere"\n')
  const { of } = await doctor(['--settings', file], env)
  expect(of('settings')).toEqual([expect.stringMatching(/^FAIL LISTEN: /)])
  await expect(async () => await doctor(['--settings', join(folder, 'none')], env)).rejects.toThrow('cannot be read')
})

/** Every token that a page shows, wherever it is set. */
function shownTokens(): string[] {
  const pages = ['README.md', 'docs', 'examples'].flatMap(place => {
    const path = join(import.meta.dirname, '../../..', place)
    if (place.endsWith('.md')) return [path]
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
    return names.filter(name => name.endsWith('.md')).map(name => join(path, name))
  })
  const found = pages.flatMap(path => [...readFileSync(path, 'utf8').matchAll(/\bBOT_TOKEN=([\w-]+)/g)])
  return [...new Set(found.map(([, token = '']) => token))]
}

test('[CLI-6.5] every token that the documents show is warned of', async ({ env }) => {
  const tokens = shownTokens()
  expect(tokens.length).toBeGreaterThan(0)
  for (const BOT_TOKEN of tokens) {
    const { of } = await doctor([], { ...env, BOT_TOKEN })
    expect(of('settings')).toEqual([expect.stringMatching(/^warn BOT_TOKEN .* → choose a long random token/)])
  }
})

test('[CLI-6.14] a Node without a code cache is warned of; the library of this installation has our corrections', async ({
  env,
}) => {
  const { of } = await doctor([], env, { machine: { codeCache: undefined } })
  expect(of('program')).toEqual([
    expect.stringMatching(/^warn Node 24\.0\.0 has no code cache.* → .*NODE_COMPILE_CACHE/),
  ])
  expect(of('library')).toEqual([expect.stringMatching(/^ok /)])
})

test('[CLI-6.1] a check that fails is one line of its own, and hides nothing of the others', async () => {
  const bad = () => {
    throw new Error('a fault\nof ours')
  }
  const good = () => [{ subject: 'disk', state: 'ok', text: 'fine' } as const]
  const found = await Array.fromAsync(
    runChecks(
      [
        { subject: 'room', look: bad },
        { subject: 'disk', look: good },
      ],
      undefined,
    ),
  )
  expect(found).toEqual([
    { subject: 'room', state: 'fail', text: 'the check failed (a fault of ours)', todo: expect.any(String) },
    { subject: 'disk', state: 'ok', text: 'fine' },
  ])
})
