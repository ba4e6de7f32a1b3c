// `postern relay status` and similar commands, as a shell runs them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { arrive, newInvite, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { newPerson } from './test-client.ts'

const MAIN = new URL('./run-relay.ts', import.meta.url).pathname

async function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args])
  const closed = once(child, 'close') as Promise<[number]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

const columns = (line: string | undefined): string[] => (line ?? '').split(/ {2,}/)

describe('with a relay that runs', () => {
  test('[RELAY-5.1] accounts are shown, shut out and let in again', async () => {
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const at = ['--data', dataDirectory]
    const listed = await run('accounts', ...at)
    expect([listed.code, listed.stderr]).toEqual([0, ''])
    const [head, ...rows] = listed.stdout.trimEnd().split('\n')
    expect(columns(head).slice(0, 3)).toEqual(['account', 'created', 'last seen'])
    expect(rows.map(row => columns(row)[0])).toEqual([bob.id, alice.id])
    const ban = await run('ban', alice.id, ...at)
    expect(ban).toEqual({ code: 0, stdout: `${alice.id} is banned; connections closed: 1\n`, stderr: '' })
    const shown = await run('accounts', '--banned', '--json', ...at)
    expect(JSON.parse(shown.stdout)).toMatchObject({ accounts: [{ account: alice.id, connections: 0 }] })
    await expect(openClient(relay).authenticate(alice.person)).rejects.toMatchObject({ code: 'account-banned' })
    expect((await run('unban', alice.id, ...at)).code).toBe(0)
    await openClient(relay).authenticate(alice.person)
    const status = await run('status', ...at)
    expect(status.stdout).toMatch(/^registration {2}open$/m)
    expect(status.stdout).toMatch(/^accounts {6}2, 0 of them banned$/m)
  })

  test('[RELAY-5.1] invites are shown and revoked', async () => {
    const dataDirectory = temporaryDirectory()
    await testRelay({ dataDirectory, registration: 'invite' })
    await newInvite(dataDirectory, { usesMax: 5, expiresMs: Date.now() + 60_000 })
    const at = ['--data', dataDirectory]
    const [, row] = (await run('invite', 'list', ...at)).stdout.split('\n')
    const [id = '', used] = columns(row)
    expect(used).toBe('0 of 5')
    expect((await run('invite', 'revoke', id, ...at)).stdout).toContain(`${id} is revoked`)
    const again = await run('invite', 'revoke', id, ...at)
    expect(again).toEqual({ code: 1, stdout: '', stderr: `There is no invite ${id}.\n` })
  })
})

test('[RELAY-5.1] a relay that does not run is one line and exit code 1', async () => {
  const { code, stdout, stderr } = await run('status', '--data', '/nonexistent')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('Nothing is running on the data directory /nonexistent')
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test.for([
  [['status'], '--data: '],
  [['status', 'now', '--data', 'x'], '"now": '],
  [['status', '--banned', '--data', 'x'], '--banned'],
  [['ban', '--data', 'x'], 'account: must name one'],
  [['ban', 'mallory', '--data', 'x'], 'account: "mallory" is not an account id'],
  [['ban', newPerson().id, newPerson().id, '--data', 'x'], 'is not used by this command'],
  [['invite', 'revoke', '--data', 'x'], 'invite: must name one'],
] as const)('[RELAY-3.23] %j is one sentence, one hint and exit code 2', async ([args, words]) => {
  const { code, stdout, stderr } = await run(...args)
  expect([code, stdout]).toEqual([2, ''])
  const [sentence, hint, ...others] = stderr.trim().split('\n')
  expect(sentence).toContain(words)
  expect(hint).toMatch(/^Run "postern relay .*--help" to see its options\.$/)
  expect(others).toEqual([])
})

test('[RELAY-5.1] a relay that was killed is one that does not run, and its next start is asked again', async () => {
  const dataDirectory = temporaryDirectory()
  const child = spawn(process.execPath, [MAIN, '--data', dataDirectory, '--listen', '127.0.0.1:0'])
  await once(child.stdout, 'data')
  expect((await run('status', '--data', dataDirectory)).code).toBe(0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const asked = await run('status', '--data', dataDirectory)
  expect(asked).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('Nothing is running') })
  await testRelay({ dataDirectory })
  expect((await run('status', '--data', dataDirectory)).code).toBe(0)
})
