// `postern app` in this process: its command line, its port, and its answers to a browser.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { brotliCompressSync } from 'node:zlib'
import type { AppFile, AppFiles } from '@postern/relay/app-files'
import { freePort } from '@postern/testkit/free-port'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type OwnAppSettings, readAppCommand, usualPort } from '../src/app/app-settings.ts'
import { startOwnApp } from '../src/app/own-app.ts'

const RELAY = 'https://relay.example'

function served(argv: string[]): OwnAppSettings {
  const command = readAppCommand(argv)
  if (command.do !== 'serve') throw new Error('nothing is served')
  return command.settings
}

describe('the command line', () => {
  test.each([
    [['--relay', 'relay.example'], 'must be an address that starts with https://'],
    [['--relay', 'wss://relay.example'], 'must be an address that starts with https://'],
    [['--relay', 'http://relay.example'], 'must start with https://, unless the relay is on this machine'],
    [['--relay', 'https://[::1]:8090'], 'must have a name or an IPv4 address'],
    [['--relay', 'https://relay.example/app'], 'must be the address alone: https://relay.example'],
    [['--relay', 'https://relay.example/#i/a/b/c'], 'must be the address alone: https://relay.example'],
    [['--relay', 'https://me:secret@relay.example'], 'must be the address alone: https://relay.example'],
    [[], '--relay is required'],
    [['--relay', RELAY, '--port', '0'], '--port must be a port'],
    [['--relay', RELAY, '--port', 'a'], '--port must be a port'],
    [['--relay', RELAY, 'more'], 'Unexpected argument'],
    [['--hash', '--port', '9000'], '--port has no effect with --hash'],
    [['--hash', '--relay', 'http://relay.example'], 'must start with https://'],
  ])('[CLI-8.1] %j is refused', (argv, words) => {
    expect(() => readAppCommand(argv)).toThrow(words)
  })

  test('[CLI-8.1] each relay has a port of its own, which is the same at every start', () => {
    const { relay, port } = served(['--relay', 'https://Relay.example/'])
    expect([relay, port]).toEqual([RELAY, usualPort(RELAY)])
    // Written down: another port would be another origin, where browsers find no account.
    expect(port).toBe(22_631)
    expect(usualPort('https://other.example')).not.toBe(port)
    const ports = Array.from({ length: 1000 }, (_, at) => usualPort(`https://${at}.example`))
    expect([Math.min(...ports) >= 20_000, Math.max(...ports) < 30_000]).toEqual([true, true])
    expect(served(['--relay', 'http://localhost:8090', '--port', '9000'])).toEqual({
      relay: 'http://localhost:8090',
      port: 9000,
    })
  })
})

function file(content: string, type = 'text/html'): AppFile {
  const plain = Buffer.from(content)
  return { type, etag: 'tag', isHashed: false, plain, packed: { br: brotliCompressSync(plain) } }
}

const page = file('<html data-relay="">')
const files: AppFiles = new Map([
  ['/', page],
  ['/index.html', page],
  ['/sw.js', file('// data-relay=""', 'text/javascript')],
  ['/assets/main.js', { ...file('data-relay=""', 'text/javascript'), isHashed: true }],
])

async function started(relay = RELAY, given?: number) {
  const port = given ?? (await freePort())
  const app = await startOwnApp(files, { relay, port })
  onTestFinished(() => app.stop())
  return { url: app.url, port }
}

type Asked = { path?: string; method?: string; headers?: Record<string, string> }

async function ask(port: number, { path = '/', method = 'GET', headers = {} }: Asked = {}) {
  const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

test('[CLI-8.2] the page and its service worker name the relay, and no other file is changed', async () => {
  const { port } = await started()
  const accepted = { headers: { 'accept-encoding': 'br' } }
  expect((await ask(port, accepted)).body).toBe(`<html data-relay="${RELAY}">`)
  expect((await ask(port, { path: '/sw.js', ...accepted })).body).toBe(`// data-relay="${RELAY}"`)
  expect((await ask(port, { path: '/assets/main.js' })).body).toBe('data-relay=""')
  const tagOf = async (at: number) => (await ask(at)).headers.etag
  const other = await started('https://other.example')
  expect(await tagOf(port)).not.toBe(await tagOf(other.port))
  expect((await ask(port, { headers: { 'if-none-match': (await tagOf(port)) ?? '' } })).status).toBe(304)
})

test('[CLI-8.2] the policy allows requests and sockets to this relay alone', async () => {
  const rule = async (relay: string) => {
    const { port } = await started(relay)
    const policy = String((await ask(port)).headers['content-security-policy'])
    return policy.split('; ').find(each => each.startsWith('connect-src'))
  }
  expect(await rule(RELAY)).toBe(`connect-src 'self' ${RELAY} wss://relay.example`)
  expect(await rule('http://127.0.0.1:8090')).toBe("connect-src 'self' http://127.0.0.1:8090 ws://127.0.0.1:8090")
})

test('[CLI-8.3] one host is answered: localhost leads to it, and a name that leads here from elsewhere does not', async () => {
  const { port, url } = await started()
  const from = (host: string, path = '/') => ask(port, { path, headers: { host } })
  expect((await from(`127.0.0.1:${port}`)).status).toBe(200)
  const led = await from(`localhost:${port}`, '/?from=here')
  expect([led.status, led.headers.location]).toEqual([307, `${url}?from=here`])
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', 'localhost', `127.0.0.2:${port}`]) {
    const { status, body } = await from(host)
    expect([status, body]).toEqual([421, 'This server answers only at its own address.\n'])
  }
})

test('[CLI-8.3] nothing but the files of the app is there', async () => {
  const { port } = await started()
  for (const path of ['/healthz', '/../package.json', '/assets/', '/relay/v1'])
    expect((await ask(port, { path })).status).toBe(404)
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask(port, { method })).status).toBe(404)
})

test('[CLI-8.4] a port in use is an error that says what to do, and not another port', async () => {
  const { port } = await started()
  await expect(startOwnApp(files, { relay: RELAY, port })).rejects.toMatchObject({
    code: 'bad-field',
    message: expect.stringMatching(
      new RegExp(`^--port: port ${port} is in use\\. .*open http://127\\.0\\.0\\.1:${port}/`),
    ),
  })
})
