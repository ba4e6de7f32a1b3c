// Relay, gateway and person as processes on a disk without space, and in places that cannot hold data.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bot, Update } from '@postern/bot-api'
import { failWrites } from '@postern/testkit/faults'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Postern, run } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'
import { canMount, type DiskKind, SmallDisk } from './small-disk.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-disk-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

const token = 'token-of-the-operator'
const NO_WRITES = ['prlimit', '--fsize=0:']

const gatewayEnv = (env: Record<string, string>) => ({
  BOT_TOKEN: token,
  BOT_NAME: 'bot',
  LISTEN: '127.0.0.1:0',
  ...env,
})

async function urlOf(process: Postern): Promise<string> {
  await process.says(/"url":"[^"]+"/)
  return /"url":"([^"]+)"/.exec(process.stdout)?.[1] ?? ''
}

const relayArgs = (data: string) => ['relay', '--listen', '127.0.0.1:0', '--data', data]
const relayOn = (data: string, wrapper: string[] = []) => new Postern(relayArgs(data), {}, { wrapper })

async function call(url: string, path: string, body?: object): Promise<Response> {
  return await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
}

/** As any bot does: retries while the gateway is unavailable. */
async function untilOk<Answer>(url: string, path: string, body?: object): Promise<Answer> {
  for (;;) {
    const answer = await call(url, path, body)
    if (answer.status === 200) return (await answer.json()) as Answer
    expect(answer.status).toBe(503)
    await answer.text()
  }
}

async function textsOf(url: string): Promise<string[]> {
  const updates = await untilOk<Update[]>(url, '/v1/updates')
  return updates.flatMap(update => (update.type === 'message' ? (update.message.text ?? '') : update.type))
}

describe.each<DiskKind>(['a file system without room', 'files that cannot grow'])('%s', kind => {
  // The other kind works everywhere: a disk is still tested where nothing can be mounted.
  test.skipIf(kind === 'a file system without room' && !canMount())(
    '[CLI-1.10] ends neither relay nor gateway: what cannot be written is refused, what was accepted comes when there is room',
    async () => {
      const [relayDisk, botDisk] = ['relay', 'bot'].map(name => new SmallDisk(kind, join(directory, kind, name)))
      if (!relayDisk || !botDisk) throw new TypeError('there are two')
      await using relay = relayOn(relayDisk.directory, relayDisk.wrapper)
      const env = gatewayEnv({ RELAY_URL: await urlOf(relay), DATA_DIR: botDisk.directory })
      await using gateway = new Postern(['gateway'], env, { wrapper: botDisk.wrapper })
      const url = await urlOf(gateway)
      const aliceData = join(directory, kind, 'alice')
      await using alice = new ScriptedPerson(['--relay', await urlOf(relay), '--data', aliceData, '--name', 'alice'])
      const { id } = await alice.ready()
      const { invite_url: invite } = await untilOk<Bot>(url, '/v1/me')
      const { id: chat } = (await alice.do('open', { invite, text: 'one' })) as { id: string }
      await expect.poll(() => textsOf(url)).toContain('one')
      const say = (text: string) => alice.ask('send', { chat, text })

      gateway.signal('SIGSTOP')
      expect(await say('waits for the bot')).toHaveProperty('ok')
      {
        using _full = relayDisk.fill(relay.pid)
        // Its next acknowledgements cannot be written.
        gateway.signal('SIGCONT')
        await expect.poll(() => textsOf(url)).toContain('waits for the bot')
        for (let times = 0; times < 30; times++) expect(await say('two')).toMatchObject({ code: 'unavailable' })
        expect((await call(await urlOf(relay), '/healthz')).status).toBe(200)
      }
      const { id: message } = await alice.do('send', { chat, text: 'three' })
      await expect.poll(() => textsOf(url)).toContain('three')

      {
        using _full = botDisk.fill(gateway.pid)
        const refused = await call(url, `/v1/chats/${id}/messages`, { text: 'lost' })
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
        expect(await refused.json()).toMatchObject({ code: 'unavailable', error: expect.stringContaining('disk') })
        expect(await say('four')).toHaveProperty('ok')
        await alice.do('delete', { chat, message })
        for (const path of ['/healthz', '/v1/me', '/v1/chats', '/v1/updates'])
          expect([path, (await call(url, path)).status]).toEqual([path, 200])
      }
      await expect.poll(() => textsOf(url)).toEqual(expect.arrayContaining(['four', 'deleted']))
      await untilOk(url, `/v1/chats/${id}/messages`, { text: 'five' })
      await alice.line(line => (line['message'] as { text?: string } | undefined)?.text === 'five')
      expect([relay.isRunning, gateway.isRunning]).toEqual([true, true])
    },
  )
})

describe('a start without room', () => {
  test('[CLI-1.10] serves what can be read, or says so in one line and exits 1', async () => {
    const data = join(directory, 'restarted')
    const relayData = join(data, 'relay')
    const env = gatewayEnv({ RELAY_URL: 'http://127.0.0.1:1', DATA_DIR: join(data, 'bot') })
    for (const first of [new Postern(['gateway'], env), relayOn(relayData)]) {
      await urlOf(first)
      first.signal('SIGTERM')
      expect(await first.exited).toBe(0)
    }
    await using gateway = new Postern(['gateway'], env, { wrapper: NO_WRITES })
    await using relay = relayOn(relayData, NO_WRITES)
    for (const again of [gateway, relay]) {
      expect((await call(await urlOf(again), '/healthz')).status).toBe(200)
      again.signal('SIGTERM')
      expect([await again.exited, again.stderr]).toEqual([0, ''])
    }
    const fresh = { ...env, DATA_DIR: join(data, 'new') }
    const refused = [
      await run(['gateway'], fresh, { wrapper: NO_WRITES }),
      await run(relayArgs(join(data, 'new-relay')), {}, { wrapper: NO_WRITES }),
    ]
    for (const { code, stderr } of refused) {
      expect(code).toBe(1)
      expect(stderr).toMatch(/^(DATA_DIR|--data): .*\n$/)
    }
  })
})

describe('a place where no data can be', () => {
  const commandsIn = (place: string): [string[], Record<string, string>][] => [
    [['gateway'], gatewayEnv({ RELAY_URL: 'http://127.0.0.1:1', DATA_DIR: place })],
    [relayArgs(place), {}],
    [['person', '--relay', 'http://127.0.0.1:1', '--name', 'alice', '--data', place], {}],
    [['demo', '--relay-port', '0', '--gateway-port', '0', '--app', 'off', '--data', place], {}],
  ]

  test.each(['/proc/nope', '/dev/null', 'a-file/below'])('[CLI-1.9] %s is one line and exit code 1', async place => {
    mkdirSync(join(directory, 'places'), { recursive: true })
    writeFileSync(join(directory, 'places', 'a-file'), 'in the way')
    const path = place.startsWith('/') ? place : join(directory, 'places', place)
    const ends = await Promise.all(commandsIn(path).map(([args, env]) => run(args, env)))
    for (const { code, stderr } of ends) {
      expect(code).toBe(1)
      expect(stderr).toMatch(/^(DATA_DIR|--data): [^\n]*cannot be used[^\n]*\n$/)
    }
  })
})

async function breakConnection(url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const head = ['GET /relay/v1 HTTP/1.1', `Host: ${hostname}`, 'Connection: Upgrade', 'Upgrade: websocket']
  const key = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
  socket.write(`${[...head, ...key].join('\r\n')}\r\n\r\n`)
  await once(socket, 'data')
  socket.resume().end(Buffer.alloc(16, 0xff))
  await once(socket, 'close')
}

describe('a log', () => {
  test.each(['relay', 'gateway'])(
    '[CLI-1.11] of a %s that cannot be written ends nothing, and goes on when it can be',
    async name => {
      const data = join(directory, 'logged', name)
      mkdirSync(data, { recursive: true })
      const file = join(data, 'log')
      const toFile = ['sh', '-c', `exec "$@" > '${file}'`, 'sh']
      const env = gatewayEnv({ RELAY_URL: 'http://127.0.0.1:1', DATA_DIR: join(data, 'bot'), LOG_LEVEL: 'debug' })
      await using process =
        name === 'relay'
          ? new Postern(relayArgs(join(data, 'relay')), { LOG_LEVEL: 'debug' }, { wrapper: toFile })
          : new Postern(['gateway'], env, { wrapper: toFile })
      const said = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' })
      await expect.poll(said).toContain('listening')
      const url = /"url":"([^"]+)"/.exec(said())?.[1] ?? ''
      {
        using _full = failWrites(0, process.pid)
        // At the most verbose level the gateway logs every request, and the relay every connection that breaks.
        for (let times = 0; times < 5; times++) {
          if (name === 'relay') await breakConnection(url)
          expect((await call(url, '/healthz')).status).toBe(200)
        }
      }
      process.signal('SIGTERM')
      expect([await process.exited, process.stderr]).toEqual([0, ''])
      expect(said()).toContain('stopped')
    },
  )

  test.each(['relay', 'gateway'])(
    '[CLI-1.11] of a %s says what has ended it, when that is a fault of ours',
    async name => {
      const data = join(directory, 'ended', name)
      const fault = 'process.on("SIGUSR2",()=>{throw new Error("a fault of ours")})'
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`
      const env = { ...gatewayEnv({ RELAY_URL: 'http://127.0.0.1:1', DATA_DIR: data }), NODE_OPTIONS }
      await using process = new Postern(name === 'relay' ? relayArgs(data) : ['gateway'], env)
      await urlOf(process)
      process.signal('SIGUSR2')
      expect(await process.exited).not.toBe(0)
      expect(process.stdout).toContain(`"msg":"unexpected error; ${name} stops"`)
    },
  )
})
