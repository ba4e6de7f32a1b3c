// Two relays on one database behind the balancer of deploy/proxy, with TLS: one of them at a time may be absent.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, newDatabase } from '@postern/testkit/test-databases'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, isInstalled, makeCertificate, startBalancer } from './example-proxy.ts'
import { Postern } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

if (!isInstalled('haproxy')) console.warn('haproxy is not installed here: its example is not tried')
if (!findPostgres()) console.warn(POSTGRES_MISSING)

test.skipIf(!isInstalled('haproxy') || !findPostgres())(
  '[CLI-1.19] haproxy: alice and bob talk through two relays, and go on when either is killed',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-balancer-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const database = await newDatabase()
    onTestFinished(() => forgetDatabase(database))
    const { certificate, key } = makeCertificate(directory)
    const [port, one, two] = [await freePort(), await freePort(), await freePort()]
    await using _balancer = startBalancer({ relays: [one, two], port, directory, certificate, key })
    const start = async (at: number): Promise<Postern> => {
      const listen = ['--listen', `127.0.0.1:${at}`, '--public-host', `localhost:${port}`]
      const options = ['--database', database, '--proxy-header', 'x-forwarded-for', '--registration', 'open']
      const relay = new Postern(['relay', ...listen, ...options, '--data', join(directory, `relay-${at}`)])
      await relay.says('"msg":"listening"')
      return relay
    }
    const first = await start(one)
    const second = await start(two)
    const person = (name: string) => {
      const args = ['--relay', `https://localhost:${port}`, '--data', join(directory, name), '--name', name]
      return new ScriptedPerson(args, { env: { NODE_EXTRA_CA_CERTS: certificate } })
    }
    await using alice = person('alice')
    await using bob = person('bob')
    const [aliceId, bobId] = [(await alice.ready()).id, (await bob.ready()).id]

    await alice.do('open', { account: bobId, text: 'Through both' })
    const hears = (listener: ScriptedPerson, text: string) =>
      listener.line(({ event, message }) => event === 'message' && JSON.stringify(message).includes(text))
    await hears(bob, 'Through both')
    // It is unknown whether an unanswered message was sent: a retry has another number.
    const says = async (speaker: ScriptedPerson, chat: string, text: string) => {
      for (let tries = 1; ; tries++)
        if ((await speaker.ask('send', { chat, text: `${text}, ${tries}` })).error === undefined) return
    }
    await first[Symbol.asyncDispose]()
    await says(bob, aliceId, 'Through the second alone')
    await hears(alice, 'Through the second alone')
    await start(one)
    await second[Symbol.asyncDispose]()
    await says(alice, bobId, 'Through the first alone')
    await hears(bob, 'Through the first alone')
    const texts = bob.messages().map(({ text }) => text)
    expect(new Set(texts).size).toBe(texts.length)
  },
)
