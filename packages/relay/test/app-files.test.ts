// The web app's folder as the relay serves it, and files that must not be served.
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { relayFixedLimits } from '@postern/protocol'
import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../src/index.ts'
import { temporaryDirectory, testRelay } from './relay-fixture.ts'

const page = '<!doctype html><title>An app</title>'
const script = 'export const answer = 42\n'.repeat(100)

let outside: string
let app: string

beforeEach(() => {
  outside = temporaryDirectory()
  app = join(outside, 'app')
  put('index.html', page)
  put('assets/main-1a2b.js', script)
  put('assets/main-1a2b.js.br', brotliCompressSync(script))
  put('assets/main-1a2b.js.gz', gzipSync(script))
})

function put(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(app, name)), { recursive: true })
  writeFileSync(join(app, name), content)
}

/** The raw answer: `fetch` would decompress it, and normalize the path before sending it. */
async function ask(port: number, line: string, headers: Record<string, string> = {}) {
  const socket = connect(port, '127.0.0.1')
  const pieces: Buffer[] = []
  socket.on('data', piece => void pieces.push(piece))
  const given = Object.entries({ Host: 'relay', Connection: 'close', ...headers })
  socket.write(`${line} HTTP/1.1\r\n${given.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`, 'latin1')
  await once(socket, 'close')
  const answer = Buffer.concat(pieces)
  const [status = '', ...lines] = answer.subarray(0, answer.indexOf('\r\n\r\n')).toString().split('\r\n')
  return {
    status: Number(status.split(' ')[1]),
    headers: new Headers(
      lines.map((each): [string, string] => [each.split(': ', 1)[0] ?? '', each.replace(/^.*?: /, '')]),
    ),
    body: answer.subarray(answer.indexOf('\r\n\r\n') + 4),
  }
}

describe('what is served', () => {
  test('[RELAY-4.1] the page at /, and each file under its name with its type', async () => {
    put('sw.js', 'self')
    put('app.webmanifest', '{}')
    put('icons/app 192.png', 'png')
    put('sqlite3.wasm', 'wasm')
    put('unheard.of', 'x')
    const { url } = await testRelay({ app })
    const typeOf = async (path: string) => (await fetch(`${url}${path}`)).headers.get('content-type')
    expect(await (await fetch(url)).text()).toBe(page)
    expect(await (await fetch(`${url}/?utm=1`)).text()).toBe(page)
    expect(await (await fetch(`${url}/assets/main-1a2b.js`)).text()).toBe(script)
    expect(await typeOf('/')).toBe('text/html; charset=utf-8')
    expect(await typeOf('/sw.js')).toBe('text/javascript; charset=utf-8')
    expect(await typeOf('/app.webmanifest')).toBe('application/manifest+json')
    expect(await typeOf('/icons/app%20192.png')).toBe('image/png')
    expect(await typeOf('/sqlite3.wasm')).toBe('application/wasm')
    expect(await typeOf('/unheard.of')).toBe('application/octet-stream')
  })

  test('[RELAY-4.1] assets are kept for a year, the rest is asked for again and 304 while it is the same', async () => {
    const { url, port } = await testRelay({ app })
    expect((await fetch(`${url}/assets/main-1a2b.js`)).headers.get('cache-control')).toBe(
      'public, max-age=31536000, immutable',
    )
    const first = await ask(port, 'GET /')
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('no-cache')
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask(port, 'GET /', { 'If-None-Match': known })
      expect([again.status, again.body.length, again.headers.get('etag')]).toEqual([304, 0, etag])
    }
    expect((await ask(port, 'GET /', { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('[RELAY-4.1] another page has another tag', async () => {
    const before = await testRelay({ app })
    const etag = (await fetch(before.url)).headers.get('etag') ?? ''
    put('index.html', `${page}!`)
    const after = await testRelay({ app })
    expect((await fetch(after.url, { headers: { 'If-None-Match': etag } })).status).toBe(200)
  })

  test('[RELAY-4.1] HEAD has the same headers and no body, and a range is not looked at', async () => {
    const { port } = await testRelay({ app })
    const whole = await ask(port, 'GET /assets/main-1a2b.js')
    const head = await ask(port, 'HEAD /assets/main-1a2b.js')
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect(head.headers.get('content-length')).toBe(String(script.length))
    expect(head.headers.get('etag')).toBe(whole.headers.get('etag'))
    const part = await ask(port, 'GET /assets/main-1a2b.js', { Range: 'bytes=0-1' })
    expect([part.status, part.body.toString()]).toEqual([200, script])
  })
})

describe('how it is packed', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0.0, gzip;q=0', null],
    ['deflate', null],
    ['brotli', null],
    ['', null],
  ])('[RELAY-4.2] who takes "%s" gets %s', async (accepted, coding) => {
    const { port } = await testRelay({ app })
    const { headers, body } = await ask(port, 'GET /assets/main-1a2b.js', { 'Accept-Encoding': accepted })
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([coding, 'Accept-Encoding'])
    const wanted = { br: brotliCompressSync(script), gzip: gzipSync(script) }
    expect(body.equals(coding === 'br' || coding === 'gzip' ? wanted[coding] : Buffer.from(script))).toBe(true)
    expect(headers.get('content-length')).toBe(String(body.length))
  })

  test('[RELAY-4.2] what is not packed goes out as it is, and each packing has a tag of its own', async () => {
    put('assets/app.tar.gz', 'an archive that belongs to no file')
    const { port } = await testRelay({ app })
    const etagFor = async (accepted: string) =>
      (await ask(port, 'HEAD /assets/main-1a2b.js', { 'Accept-Encoding': accepted })).headers.get('etag')
    const plain = await ask(port, 'GET /', { 'Accept-Encoding': 'br, gzip' })
    expect([plain.headers.get('content-encoding'), plain.body.toString()]).toEqual([null, page])
    expect(new Set([await etagFor(''), await etagFor('br'), await etagFor('gzip')]).size).toBe(3)
    expect((await ask(port, 'GET /assets/main-1a2b.js.br')).status).toBe(404)
    expect((await ask(port, 'GET /assets/app.tar.gz')).headers.get('content-encoding')).toBeNull()
  })
})

test('[RELAY-4.3] every file comes with the policy that closes the page, also when it is the same', async () => {
  const { url } = await testRelay({ app })
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const answers = [
    await fetch(url),
    await fetch(`${url}/assets/main-1a2b.js`),
    await fetch(url, { headers: { 'If-None-Match': etag } }),
  ]
  for (const { headers } of answers) {
    const directives = headers.get('content-security-policy')?.split('; ') ?? []
    const policy = new Map(directives.map(each => [each.split(' ')[0], each.split(' ').slice(1).join(' ')]))
    expect(Object.fromEntries(policy)).toMatchObject({
      'default-src': "'none'",
      'script-src': expect.stringMatching(/^127\.0\.0\.1:\d+\/assets\/ .*'wasm-unsafe-eval'$/),
      'style-src': "'self'",
      'connect-src': "'self'",
      'worker-src': expect.not.stringContaining("'self'"),
      'img-src': "'self' blob: data:",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'postern',
    })
    expect(Object.fromEntries(headers)).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=(self), microphone=(self)'),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
  }
})

describe('what is not served', () => {
  beforeEach(() => writeFileSync(join(outside, 'secret.txt'), 'secret'))

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/assets/../index.html',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '//secret.txt',
    '//index.html',
    '/./index.html',
    '/index%2ehtml',
    '/index.html%00.js',
    '/INDEX.HTML',
    '/assets',
    '/assets/',
    '/__proto__',
    '/constructor',
    'http://relay/../secret.txt',
    'http://relay/index.html',
    'file:///etc/passwd',
    'index.html',
    '*',
  ])('[RELAY-4.4] GET %s', async path => {
    const { port } = await testRelay({ app })
    const { status, body } = await ask(port, `GET ${path}`)
    expect([404, 400]).toContain(status)
    expect(JSON.parse(body.toString())).toMatchObject({ code: expect.stringMatching(/^(not-found|bad-field)$/) })
  })

  test('[RELAY-4.4] a NUL in the path, and no Host, are refused as ever', async () => {
    const { port } = await testRelay({ app })
    expect((await ask(port, 'GET /index.html\0')).status).toBe(400)
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('[RELAY-4.4] what is hidden, and what a link leads to', async () => {
    put('.built', 'hidden')
    put('.git/config', 'hidden')
    symlinkSync(join(outside, 'secret.txt'), join(app, 'linked.txt'))
    symlinkSync(outside, join(app, 'linked'))
    const { port } = await testRelay({ app })
    for (const path of ['/.built', '/.git/config', '/linked.txt', '/linked/secret.txt'])
      expect((await ask(port, `GET ${path}`)).status).toBe(404)
  })

  test('[RELAY-4.4] what comes or changes there later, also when all of it is gone', async () => {
    const { url } = await testRelay({ app })
    put('index.html', 'changed')
    put('later.txt', 'later')
    expect([await (await fetch(url)).text(), (await fetch(`${url}/later.txt`)).status]).toEqual([page, 404])
    rmSync(app, { recursive: true })
    expect(await (await fetch(url)).text()).toBe(page)
  })

  test('[RELAY-4.4] another method, and what stands where the relay has an address', async () => {
    put('healthz', 'not well')
    put(`blobs/${'a'.repeat(32)}`, 'not a blob')
    const { url } = await testRelay({ app })
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await (await fetch(url, { method })).json()).toMatchObject({ code: 'not-found' })
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({})
    expect(await (await fetch(`${url}/blobs/${'a'.repeat(32)}`)).json()).toMatchObject({ code: 'blob-unknown' })
  })
})

describe('the setting', () => {
  const line = ['--data', 'x', '--listen', '127.0.0.1:0']

  test('[RELAY-4.5] --app before POSTERN_RELAY_APP before what is built; off is none of them', () => {
    const appOf = (args: string[], env: Record<string, string>, built?: string) =>
      readConfig([...line, ...args], env, built).app
    expect(appOf(['--app', 'here'], { POSTERN_RELAY_APP: 'there' }, 'built')).toBe('here')
    expect(appOf([], { POSTERN_RELAY_APP: 'there' }, 'built')).toBe('there')
    expect(appOf([], { POSTERN_RELAY_APP: '' }, 'built')).toBe('built')
    expect(appOf(['--app', 'off'], { POSTERN_RELAY_APP: 'there' }, 'built')).toBeUndefined()
    expect(appOf([], { POSTERN_RELAY_APP: 'off' }, 'built')).toBeUndefined()
    expect(appOf([], {})).toBeUndefined()
    expect(() => appOf(['--app', ''], {})).toThrow(/^--app: /)
  })

  test('[RELAY-4.5] without a folder / answers a sentence', async () => {
    const { url } = await testRelay()
    const answer = await fetch(url)
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect(await answer.text()).toMatch(/^This is a Postern relay\./)
  })

  test.each([
    ['that is not there', () => rmSync(app, { recursive: true }), 'cannot be read (ENOENT)'],
    ['that is a file', () => replaceByFile(), 'cannot be read (ENOTDIR)'],
    ['without a page', () => rmSync(join(app, 'index.html')), 'has no index.html'],
    ['whose page is a folder', () => replaceByFolder(), 'has no'],
    ['that has too much in it', () => putLarge(), 'bytes'],
  ])('[RELAY-4.5] a folder %s', async (_, spoil, words) => {
    spoil()
    const dataDirectory = join(outside, 'data')
    const started = testRelay({ app, dataDirectory })
    await expect(started).rejects.toMatchObject({ code: 'bad-field', message: expect.stringMatching(/^--app: /) })
    await expect(started).rejects.toThrow(words)
    expect(existsSync(dataDirectory)).toBe(false)
  })

  function replaceByFile(): void {
    rmSync(app, { recursive: true })
    writeFileSync(app, '')
  }

  function replaceByFolder(): void {
    rmSync(join(app, 'index.html'))
    mkdirSync(join(app, 'index.html'))
  }

  function putLarge(): void {
    put('large', '')
    truncateSync(join(app, 'large'), relayFixedLimits.appBytesMax)
  }
})
