// How a relay ends: nothing that was answered is lost, nothing that was asked is left without an answer.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { ManualClock, passWhenAwaited } from '@postern/testkit/clock'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import type { StoreOptions } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { arrive, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { messageEnvelope } from './test-client.ts'

const heldBy = (gate: Promise<void>) => (options: StoreOptions) => {
  const store = openSqliteStore(options)
  const append = store.append.bind(store)
  store.append = async request => {
    await gate
    return append(request)
  }
  return store
}

describe('stopping', () => {
  test('[RELAY-2.14] answers what is in flight, makes it durable and says goodbye', async () => {
    const gate = Promise.withResolvers<void>()
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory, openStore: heldBy(gate.promise) })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const sends = Array.from({ length: 5 }, () => alice.append(messageEnvelope({ group, epoch: 1 })))
    // Answered behind them: they have arrived.
    await alice.call('ping', {})
    const stopped = relay.stop()
    expect((await bob.closed).code).toBe(1001)
    await expect(openClient(relay).challenge).rejects.toThrow()
    gate.resolve()
    expect((await Promise.all(sends)).map(verdict => verdict.accepted?.seq)).toEqual([2, 3, 4, 5, 6])
    expect(await alice.closed).toEqual({ code: 1001, reason: 'relay-stopping' })
    await stopped

    const again = await testRelay({ dataDirectory })
    const reader = await arrive(again, bob.person)
    await reader.call('follow', { after: 0 })
    expect((await reader.delivered(6)).map(entry => entry.seq)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('[RELAY-2.14] within the time set, whatever is still open', async () => {
    const clock = new ManualClock()
    const never = new Promise<void>(() => {})
    const relay = await testRelay({ clock, openStore: heldBy(never), limits: { stopWithinMs: 3000 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const lost = alice.append(messageEnvelope({ group, epoch: 1 })).catch((error: unknown) => error)
    await alice.call('ping', {})
    const stopped = relay.stop()
    await bob.closed
    expect(await passWhenAwaited(clock, 3000, lost)).toMatchObject({ message: 'closed' })
    await stopped
  })

  test('[RELAY-2.14] twice is once', async () => {
    const relay = await testRelay()
    await Promise.all([relay.stop(), relay.stop()])
  })
})

describe('logs', () => {
  const failing = () => Promise.reject(new Error('broken'))

  test('[RELAY-2.16] hold no payloads, no tokens and no keys', async () => {
    const lines: string[] = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const broken = (options: StoreOptions) => Object.assign(openSqliteStore(options), { append: failing })
    const relay = await testRelay({ log: pino({ level: 'trace' }, stream), openStore: broken })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const payload = messageEnvelope({ group, epoch: 1 })
    await expect(alice.append(payload)).rejects.toMatchObject({ code: 'internal' })
    const { blob, token } = await alice.call('beginBlob', { size: 5 })
    await fetch(`${relay.url}/blobs/${blob}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}` },
      body: 'x',
    })
    await relay.stop()
    const logged = lines.join('')
    expect(logged).toContain('a call failed')
    for (const secret of [payload.subarray(32, 60), alice.person.account.publicKey]) {
      const forms = (['hex', 'base64', 'latin1'] as const).map(encoding => Buffer.from(secret).toString(encoding))
      for (const form of [...forms, secret.join(',')]) expect(logged).not.toContain(form)
    }
    expect(logged).not.toContain(token)
  })
})

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
    [['--unknown'], '--unknown'],
  ])('[RELAY-3.8] %j is one line and exit code 1', async (args, named) => {
    const { code, text } = await said(run(args))
    expect(code).toBe(1)
    expect(text).toContain(named)
    expect(text.trim().split('\n')).toHaveLength(1)
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
