// The relay as a process: its output at the start, after invalid arguments, and at the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from './relay-fixture.ts'

describe('the process', () => {
  const main = new URL('./run-relay.ts', import.meta.url).pathname
  const run = (args: string[], env: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } })
  const said = async (child: ChildProcess) => {
    let text = ''
    child.stderr?.on('data', chunk => (text += chunk))
    const [code] = (await once(child, 'close')) as [number]
    return { code, text }
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('[RELAY-3.8] says where it listens and ends with 0 on %s', async signal => {
    const child = run([], { POSTERN_RELAY_LISTEN: '127.0.0.1:0', POSTERN_RELAY_DATA: temporaryDirectory() })
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    const { msg, url } = JSON.parse(String(line).split('\n')[0] ?? '') as { msg: string; url: string }
    expect(msg).toBe('listening')
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    child.kill(signal)
    expect(await said(child)).toEqual({ code: 0, text: '' })
  })

  test.each([
    [['--data', 'x', '--listen', 'nowhere'], '--listen'],
    [['--listen', ':0'], '--data'],
    [['--listen', ':0', '--data', 'x'], '--public-host'],
    [['--data', 'x', '--proxies', '1'], '--proxies'],
    [['--data', 'x', '--proxy-header', 'X-Forwarded-For', '--proxies', '0'], '--proxies'],
    [['--data', 'x', '--proxy-header', 'no header'], '--proxy-header'],
    [['--data', 'x', '--limit', 'everything=1'], '--limit'],
    [['--data', 'x', '--limit', 'connectionsMax=many'], '--limit connectionsMax'],
    [['--data', 'x', '--new-people-per-day', 'many'], '--new-people-per-day'],
  ])('[RELAY-3.8] %j is one line and exit code 1', async (args, named) => {
    const { code, text } = await said(run(args))
    expect(code).toBe(1)
    expect(text).toContain(named)
    expect(text.trim().split('\n')).toHaveLength(1)
  })

  test('[RELAY-3.23] an option that does not exist is one sentence, one hint and exit code 2', async () => {
    const { code, text } = await said(run(['--unknown']))
    expect([code, text.split('\n').length]).toEqual([2, 3])
    expect(text).toMatch(/^[^\n]*--unknown[^\n]*\.\nRun "postern relay --help" to see its options\.\n$/)
  })

  test('[RELAY-3.8] and so is a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const outcome = await said(run(['--listen', `127.0.0.1:${port}`, '--data', temporaryDirectory()]))
    server.close()
    expect(outcome.code).toBe(1)
    expect(outcome.text).toBe(`--listen: port ${port} of 127.0.0.1 is in use.\n`)
  })
})
