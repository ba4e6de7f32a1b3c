// Messages to the owners of a bot about certificates that nobody renewed, served by real TLS servers.
import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createServer, getCACertificates, setDefaultCACertificates, type Server as TlsServer } from 'node:tls'
import { type AccountId, DAY_MS, ownerNoticeLimits } from '@postern/protocol'
import { ManualClock, type TestPerson } from '@postern/testkit'
import { TestAuthority } from '@postern/testkit/authority'
import { expect } from 'vitest'
import { wordsIn } from '../src/hooks/words/words.ts'
import { type FollowedProblem, followProblem } from '../src/owner-notices/follow-problem.ts'
import { type ProblemFinding, type ProblemSources, problems } from '../src/owner-notices/problems.ts'
import { ServedCertificates } from '../src/owner-notices/served-certificates.ts'
import { addressesOf } from '../src/owner-notices/watch-gateway.ts'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { HookedGateway, hearsFrom } from './hooks.ts'
import { Looks } from './looking.ts'

const { certificateLookEveryMs, handshakeWithinMs } = ownerNoticeLimits
/** How many looks for problems there are from one at the certificates to the next. */
const LOOKS_APART = Math.ceil(certificateLookEveryMs / ownerNoticeLimits.lookEveryMs)
/** A certificate for this many days was made some time ago, as the gateway sees it. */
const AGED_DAYS = 90
const FRESH_DAYS = 400
const AGE_DAYS = 77

const test = base
  .extend('clock', () => new ManualClock(Date.now() + AGE_DAYS * DAY_MS))
  .extend('looks', ({ clock }) => new Looks(clock))
  /** An authority that this process trusts. */
  .extend('authority', ({ world }, { onCleanup }) => {
    const authority = new TestAuthority(join(world.directory, 'authority'))
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, authority.certificate])
    onCleanup(() => setDefaultCACertificates(before))
    return authority
  })
  /** Servers with certificates for this many days, which say nothing. */
  .extend('serves', ({ authority }, { onCleanup }) => {
    const servers: TlsServer[] = []
    onCleanup(async () => void (await Promise.all(servers.map(closed))))
    return async (days: number, name = 'localhost'): Promise<Served> => {
      const server = createServer(authority.issue({ days, name }), socket => socket.destroy())
      server.on('tlsClientError', () => undefined)
      servers.push(server)
      const host = `localhost:${await listening(server)}`
      const renew = (next: number) => server.setSecureContext(authority.issue({ days: next }))
      return { host, renew, close: () => closed(server) }
    }
  })
  .extend(
    'owned',
    ({ world, clock, alice }) =>
      async (env: Record<string, string>) =>
        await HookedGateway.start(world, { env: { BOT_OWNERS: alice.id, LANGUAGE: 'en', ...env }, clock }),
  )

type Served = { host: string; renew: (days: number) => void; close: () => Promise<void> }

async function listening(server: Server): Promise<number> {
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  await once(server, 'close')
}

const warnings = (person: TestPerson): string[] =>
  person.client.chats
    .list()
    .flatMap(({ id }) => person.texts(id))
    .filter(text => /^[⚠✅]/u.test(text))

test('[GATEWAY-13.10] of each address that the bot depends on: one message before its end, and one when it was renewed', async ({
  alice,
  looks,
  owned,
  serves,
}) => {
  const [webhook, hooks, alertmanager] = [await serves(AGED_DAYS), await serves(AGED_DAYS), await serves(AGED_DAYS)]
  const env = {
    WEBHOOK_URL: `https://${webhook.host}/to/somebody?secret=of-the-receiver`,
    WEBHOOK_SECRET: 's'.repeat(32),
    HOOKS_URL: `https://${hooks.host}/below`,
    ALERTMANAGER_URL: `http://127.0.0.1:9,https://${alertmanager.host}/alerts`,
  }
  const { gateway } = await owned(env)
  const { text } = await looks.until(gateway, hearsFrom(alice, '⚠️ The cert'))
  const date = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`
  const lines = [webhook, hooks, alertmanager].map(({ host }) => `${host}: expires on ${date}\n`)
  expect(text).toMatch(
    new RegExp(
      `^⚠️ The certificate of an address that the bot depends on was not renewed:\n${lines.join('')}Renew it, [^\n]*$`,
    ),
  )
  await looks.pass(LOOKS_APART + 1)
  expect(warnings(alice).filter(each => each.includes('certificate'))).toEqual([text])
  for (const one of [webhook, hooks, alertmanager]) one.renew(FRESH_DAYS)
  const over = await looks.until(gateway, hearsFrom(alice, '✅ A cert'))
  expect(over.text?.split('\n')).toHaveLength(4)
  await looks.pass(LOOKS_APART + 1)
  expect(warnings(alice).filter(each => each.includes('certificate'))).toEqual([text, over.text])
})

test('[GATEWAY-13.10] the bot depends on its relay, a webhook of either kind, and where its hooks and its Alertmanager are', () => {
  const client = { relayUrl: 'https://relay.example' }
  const updates = { webhookUrl: () => 'https://receiver.example' }
  const settings = { hooksUrl: 'https://hooks.example', alertmanager: { urls: ['https://one.example', 'http://two'] } }
  expect(addressesOf({ client, updates, settings })).toEqual([
    client.relayUrl,
    updates.webhookUrl(),
    settings.hooksUrl,
    ...settings.alertmanager.urls,
  ])
  expect(addressesOf({ client, updates: { webhookUrl: () => undefined }, settings: {} })).toEqual([client.relayUrl])
})

test('[GATEWAY-13.10] one that has expired is named as expired; its end is told after a restart, once it was seen', async ({
  alice,
  looks,
  owned,
  serves,
}) => {
  const hooks = await serves(-1)
  const fresh = await serves(FRESH_DAYS)
  const hooked = await owned({ HOOKS_URL: `https://${hooks.host}`, ALERTMANAGER_URL: `https://${fresh.host}` })
  const { text } = await looks.until(hooked.gateway, hearsFrom(alice, '⚠️ The cert'))
  expect(text).toContain(`\n${hooks.host}: expired on `)
  expect(text).not.toContain(fresh.host)
  // Whether it was renewed is not known while nobody answers.
  await hooks.close()
  await hooked.restart()
  await looks.pass(LOOKS_APART + 20)
  expect(warnings(alice)).toEqual([text])
  const elsewhere = await serves(FRESH_DAYS)
  await hooked.restart({ env: { HOOKS_URL: `https://${elsewhere.host}` } })
  const over = await looks.until(hooked.gateway, hearsFrom(alice, '✅'))
  expect(over.text).toContain(hooks.host)
  expect(warnings(alice)).toHaveLength(2)
})

test('[GATEWAY-13.10] a stranger that answers for the address cannot write to the owners, and no TLS is no problem', async ({
  clock,
  serves,
}) => {
  const tcp = createTcpServer(socket => socket.resume().end('HTTP/1.1 400 no\r\n\r\n'))
  const port = await listening(tcp)
  const [own, named] = [await serves(1), await serves(1, 'bank.example')]
  setDefaultCACertificates(getCACertificates('default').slice(0, 1))
  const served = new ServedCertificates(clock)
  const addresses = [`https://${own.host}`, `wss://${named.host}`, `https://localhost:${port}`, 'http://localhost']
  const found = await served.look(addresses, new AbortController().signal)
  expect(found).toEqual([own.host, named.host, `localhost:${port}`].map(host => ({ host, certificate: undefined })))
  await closed(tcp)
})

test('[GATEWAY-13.10] a certificate for another name says nothing about the address', async ({ clock, serves }) => {
  const named = await serves(1, 'bank.example')
  const found = await new ServedCertificates(clock).look([`https://${named.host}`], new AbortController().signal)
  expect(found).toEqual([{ host: named.host, certificate: undefined }])
})

test('[GATEWAY-13.10] a server that never answers is left after five seconds, and at once when the gateway stops', async ({
  clock,
}) => {
  const silent = createTcpServer(socket => void socket.resume())
  const host = `localhost:${await listening(silent)}`
  const stop = new AbortController()
  const served = new ServedCertificates(clock)
  const waited = served.look([`https://${host}`], stop.signal)
  await expect.poll(() => clock.isAwaited(handshakeWithinMs), SOON).toBe(true)
  clock.advance(handshakeWithinMs)
  expect(await waited).toEqual([{ host, certificate: undefined }])
  clock.advance(certificateLookEveryMs)
  const stopped = served.look([`https://${host}`], stop.signal)
  stop.abort()
  expect(await stopped).toEqual([{ host, certificate: undefined }])
  expect(clock.timerCount).toBe(0)
  await closed(silent)
})

test('[GATEWAY-13.10] fourteen days are few, unless a certificate is made for less than seventy', async () => {
  const found = async (leftDays: number, lifeDays: number): Promise<ProblemFinding[] | undefined> => {
    const certificate = { expiresMs: 0, leftMs: leftDays * DAY_MS, lifeMs: lifeDays * DAY_MS }
    const sources = { certificates: async () => [{ host: 'relay', certificate }] } as unknown as ProblemSources
    return await problems.certificates.check(sources, wordsIn.ru.owners, new AbortController().signal)
  }
  const fact = (word: string) => [{ subject: 'relay', fact: `relay: ${word} 1970-01-01 00:00 UTC` }]
  expect(await found(14, 90)).toEqual([])
  expect(await found(13.9, 90)).toEqual(fact('истекает'))
  expect(await found(1.2, 6)).toEqual([])
  expect(await found(1.1, 6)).toEqual(fact('истекает'))
  expect(await found(0, 6)).toEqual(fact('истёк'))
})

test('[GATEWAY-13.10] while it is not known which certificate is served, the problem neither begins nor ends', async () => {
  const sources = { certificates: async () => [{ host: 'relay', certificate: undefined }] } as unknown as ProblemSources
  const unknown = { subject: 'relay', fact: undefined }
  const { check } = problems.certificates
  expect(await check(sources, wordsIn.en.owners, new AbortController().signal)).toEqual([unknown])
  const owners = ['alice' as AccountId]
  const look = (before: FollowedProblem, minute: number, findings: ProblemFinding[]): FollowedProblem => {
    const at = { name: 'certificates' as const, nowMs: minute * 60_000, owners, words: wordsIn.en.owners }
    const { notice: _, ...sent } = followProblem(before, { ...at, findings })
    return sent
  }
  expect(look({ subjects: {} }, 0, [unknown]).subjects).toEqual({})
  const told = look({ subjects: {} }, 0, [{ subject: 'relay', fact: 'relay: soon' }])
  expect(told.subjects['relay']?.state).toBe('told')
  expect(look(told, 100, [unknown])).toEqual(told)
  const calm = look(told, 100, [])
  expect(look(calm, 101, [unknown])).toEqual(calm)
})
