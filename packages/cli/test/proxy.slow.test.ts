// A relay and the hooks of a gateway behind the proxies of deploy/proxy, with TLS: exactly the intended requests pass.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message, Update } from '@postern/bot-api'
import { test as base, expect } from 'vitest'
import { freePort, isInstalled, makeCertificate, type ProxyKind, proxyLogs, startProxy } from './example-proxy.ts'
import { Postern, run } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

const TOKEN = 'token-of-the-operator'
const FILE_BYTES = 8 * 1024 * 1024

// oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
const test = base.extend('directory', { scope: 'file' }, ({}, { onCleanup }) => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-proxy-'))
  onCleanup(() => rmSync(directory, { recursive: true }))
  return directory
})

async function behind(kind: ProxyKind, scratch: string) {
  const directory = mkdtempSync(join(scratch, `${kind}-`))
  const { certificate, key } = makeCertificate(directory)
  const [relay, hooks, publicRelay, publicHooks] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const ports = { relay, hooks, publicRelay, publicHooks }
  const proxy = startProxy(kind, { ports, directory, certificate, key })
  const env = { NODE_EXTRA_CA_CERTS: certificate }
  const relayUrl = `https://localhost:${publicRelay}`
  return { directory, certificate, ports, proxy, env, relayUrl, hooksUrl: `https://localhost:${publicHooks}` }
}

/** Literally, with dots: normalizing the address first would hide how a proxy treats it. */
async function answerOf(address: string, certificate: string, post?: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(address)
  const path = address.slice(address.indexOf('/', 'https://'.length))
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/plain' }
  const method = post === undefined ? 'GET' : 'POST'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const answered = (answer: IncomingMessage) => {
    answer.resume()
    resolve(answer)
  }
  request({ hostname, port, path, method, headers, ca: readFileSync(certificate) }, answered)
    .on('error', reject)
    .end(post)
  return await promise
}

async function statusOf(address: string, certificate: string, post?: string): Promise<number> {
  const { statusCode = 0 } = await answerOf(address, certificate, post)
  return statusCode
}

for (const kind of ['caddy', 'nginx'] as const) {
  if (!isInstalled(kind)) console.warn(`${kind} is not installed here: its example is not tried`)
  test.skipIf(!isInstalled(kind))(
    `[CLI-1.17, CLI-1.26, CLI-6.11] ${kind}: relay, hooks and files pass, nothing else of the gateway does, the doctor finds nothing wrong, and no log has a secret`,
    async ({ directory: scratch }) => {
      const { directory, certificate, ports, proxy, env, relayUrl, hooksUrl } = await behind(kind, scratch)
      await using _proxy = proxy
      const publicHost = `localhost:${ports.publicRelay}`
      const listen = ['--listen', `127.0.0.1:${ports.relay}`, '--public-host', publicHost]
      await using relay = new Postern(['relay', ...listen, '--data', join(directory, 'relay')])
      await relay.says('"msg":"listening"')
      const bot = { BOT_TOKEN: TOKEN, BOT_NAME: 'Proxied', DATA_DIR: join(directory, 'bot') }
      const settings = { RELAY_URL: relayUrl, HOOKS_URL: hooksUrl, LISTEN: `127.0.0.1:${ports.hooks}` }
      await using gateway = new Postern(['gateway'], { ...env, ...bot, ...settings })
      await gateway.says('gateway listening')
      const call = async <Answer>(path: string, init: RequestInit = {}): Promise<Answer> => {
        const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) }
        const answer = await fetch(`http://127.0.0.1:${ports.hooks}/v1/${path}`, { ...init, headers })
        return (await answer.json()) as Answer
      }
      await using alice = new ScriptedPerson(
        ['--relay', relayUrl, '--data', join(directory, 'alice'), '--name', 'alice'],
        { env },
      )
      await alice.ready()
      const { invite_url: invite } = await call<{ invite_url: string }>('me')
      await alice.do('open', { invite, text: 'Hello through a proxy' })
      let chat = ''
      for (let offset = 0; chat === ''; )
        for (const update of await call<Update[]>(`updates?offset=${offset}&timeout=60`)) {
          offset = update.id + 1
          if (update.type === 'message' && update.message.text === 'Hello through a proxy') chat = update.chat_id
        }

      const json = { 'content-type': 'application/json' }
      const wanted = JSON.stringify({ chat_id: chat, format: 'text' })
      const hook = await call<{ url: string }>('hooks', { method: 'POST', headers: json, body: wanted })
      expect(hook.url.startsWith(hooksUrl)).toBe(true)
      expect(await statusOf(hook.url, certificate, 'From a hook')).toBe(200)
      await alice.line(({ event, message }) => event === 'message' && JSON.stringify(message).includes('From a hook'))

      for (const path of ['/v1/me', '/healthz', '/openapi.json', '/'])
        expect(await statusOf(`${hooksUrl}${path}`, certificate)).toBe(404)
      for (const path of ['/hooks/../v1/me', '/hooks/%2e%2e/v1/me', '/hooks/..%2fv1/me'])
        expect(await statusOf(`${hooksUrl}${path}`, certificate)).not.toBe(200)

      const form = new FormData()
      form.set('file', new Blob([Buffer.alloc(FILE_BYTES, 7)]), 'eight.bin')
      const sent = await call<Message>(`chats/${chat}/files`, { method: 'POST', body: form })
      const heard = await alice.line(({ message }) => (message as Message | undefined)?.id === sent.id)
      const path = join(directory, 'eight.bin')
      await alice.do('download', { chat: (heard['message'] as Message).chat_id, message: sent.id, path })
      expect(readFileSync(path).equals(Buffer.alloc(FILE_BYTES, 7))).toBe(true)

      const { stdout: found } = await run(['doctor'], { ...env, ...bot, ...settings })
      for (const subject of ['relay', 'host', 'login', 'files', 'hooks'])
        expect(found).toMatch(new RegExp(`^ok {4}${subject} `, 'm'))
      const { stdout: ofRelay } = await run(['doctor', 'relay', ...listen, '--data', join(directory, 'relay')], env)
      expect(ofRelay).toContain(`clients can connect to https://${publicHost}`)

      for (const address of [`${hooksUrl}/`, `${relayUrl}/healthz`]) {
        const { headers } = await answerOf(address, certificate)
        expect(headers['strict-transport-security']).toBe('max-age=31536000')
      }

      // Proxies log a request that fails, with its address.
      for (const part of [gateway, relay]) {
        part.signal('SIGTERM')
        await part.exited
      }
      expect(await statusOf(hook.url, certificate, 'Is anybody there?')).toBe(502)
      // Caddy answers 503 once it has noticed, by the attempts of alice, that no relay is there.
      expect([502, 503]).toContain(await statusOf(`${relayUrl}/profiles/${chat}`, certificate))
      await proxy[Symbol.asyncDispose]()
      const logs = proxyLogs(directory)
      for (const secret of [hook.url.split('/').at(-1) ?? '', chat]) expect(logs).not.toContain(secret)
    },
  )
}
