// `postern gateway` as a process: its log, and the state after a kill.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Bot, Update } from '@postern/bot-api'
import type { World } from '@postern/testkit'
import { testInOneWorld } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { Postern } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

const token = 'token-of-the-operator'

class Operator implements AsyncDisposable {
  readonly process: Postern

  constructor(world: World, name: string, env: Record<string, string>) {
    this.process = new Postern(['gateway'], {
      BOT_TOKEN: token,
      RELAY_URL: world.relayUrl,
      BOT_NAME: name,
      LISTEN: '127.0.0.1:0',
      DATA_DIR: join(world.directory, name),
      LOG_LEVEL: 'debug',
      ...env,
    })
  }

  async #url(): Promise<string> {
    await this.process.says('gateway listening')
    return /"url":"([^"]+)"/.exec(this.process.stdout)?.[1] ?? ''
  }

  /** Like any bot: retries while the gateway is unavailable. */
  async call<Answer>(path: string, body?: object): Promise<Answer> {
    for (;;) {
      const answer = await fetch(`${await this.#url()}${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      if (answer.status !== 503) return (await answer.json()) as Answer
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]()
  }
}

const test = testInOneWorld
  .extend(
    'operatorOf',
    ({ world }) =>
      (name: string, env: Record<string, string> = {}) =>
        new Operator(world, name, env),
  )
  .extend('person', ({ world }) => (name: string) => {
    return new ScriptedPerson(['--relay', world.relayUrl, '--data', join(world.directory, name), '--name', name])
  })

test('[CLI-1.6] a log at its most verbose holds no token, no key, no invite and no text', async ({
  world,
  operatorOf,
  person,
}) => {
  await using operator = operatorOf('talkative')
  await using alice = person('alice')
  await alice.ready()
  const { invite_url: invite } = await operator.call<Bot>('/v1/me')
  await alice.do('open', { invite, text: 'the text of a person' })
  const [{ chat_id: chat } = { chat_id: '' }] = await operator.call<Update[]>('/v1/updates?timeout=60')
  await operator.call(`/v1/chats/${chat}/messages`, { text: 'the text of a bot' })
  await operator.call(`/v1/chats/${chat}/messages`, { text: 5 })
  await operator.call('/v1/the/secret/path')
  await alice.line(line => line.event === 'message')
  operator.process.signal('SIGTERM')
  expect([await operator.process.exited, operator.process.stderr]).toEqual([0, ''])
  const log = operator.process.stdout
  for (const line of log.trimEnd().split('\n'))
    expect(JSON.parse(line)).toMatchObject({
      level: expect.any(String),
      time: expect.any(String),
      msg: expect.any(String),
    })
  expect(log).toContain('POST /v1/chats/:chat/messages')
  const key = readFileSync(join(world.directory, 'talkative', 'db.key'))
  const keys = (['hex', 'base64', 'base64url'] as const).map(form => key.toString(form))
  for (const secret of [token, 'the text of', '/the/secret', ...invite.split('/').slice(-2), ...keys])
    expect(log).not.toContain(secret)
})

test('[CLI-1.7] killed again and again, a gateway gives every update once under its id, in order', async ({
  operatorOf,
  person,
}) => {
  await using bob = person('bob')
  await bob.ready()
  let operator = operatorOf('survivor')
  const { id: chat } = await operator.call<Bot>('/v1/me')
  await bob.do('send', { chat, text: 'first' })
  const seen = new Map<number, string>()
  let offset = 0
  const wanted = Array.from({ length: 40 }, (_, at) => `text ${at}`)
  const sending = (async () => {
    for (const text of wanted) await bob.do('send', { chat, text })
  })()
  for (let round = 0; ![...seen.values()].includes(wanted.at(-1) ?? ''); round++) {
    for (let polls = 0; polls < 1 + (round % 4); polls++) {
      for (const update of await operator.call<Update[]>(`/v1/updates?offset=${offset}&timeout=1&limit=5`)) {
        const what = update.type === 'message' ? (update.message.text ?? '') : update.type
        expect(seen.get(update.id) ?? what).toBe(what)
        seen.set(update.id, what)
        offset = update.id + 1
      }
    }
    operator.process.signal('SIGKILL')
    await operator.process.exited
    operator = operatorOf('survivor')
  }
  await sending
  await operator[Symbol.asyncDispose]()
  const texts = [...seen.values()].filter(text => text.startsWith('text '))
  expect(texts).toEqual(wanted)
})

test('[CLI-1.7] killed in the middle of webhook delivery, it repeats the last few at most, in order, and loses none', async ({
  operatorOf,
  person,
}) => {
  const received: { id: number; what: string }[] = []
  const receiver = createServer((request, response) => {
    void bodyOf(request).then(body => {
      const update = JSON.parse(body) as Update
      received.push({ id: update.id, what: update.type === 'message' ? (update.message.text ?? '') : update.type })
      // Some fail, so that kills also hit the backoff.
      response.writeHead(received.length % 7 === 0 ? 500 : 200).end()
    })
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const start = () => operatorOf('delivering', { WEBHOOK_URL: url, WEBHOOK_SECRET: 'secret' })
  await using carol = person('carol')
  await carol.ready()
  let operator = start()
  const { id: chat } = await operator.call<Bot>('/v1/me')
  const wanted = Array.from({ length: 12 }, (_, at) => `text ${at}`)
  const sending = (async () => {
    for (const text of wanted) await carol.do('send', { chat, text })
  })()
  const lives: number[][] = []
  const hasLast = () => received.some(({ what }) => what === wanted.at(-1))
  for (let round = 1; !hasLast(); round++) {
    const before = received.length
    const isTime = () => hasLast() || received.length > before + (round % 5)
    await expect.poll(isTime, { interval: 1 }).toBe(true)
    operator.process.signal('SIGKILL')
    await operator.process.exited
    lives.push(received.slice(before).map(({ id }) => id))
    operator = start()
  }
  await sending
  await operator[Symbol.asyncDispose]()
  receiver.close()
  receiver.closeAllConnections()
  const texts = new Map(received.map(({ id, what }) => [id, what]))
  expect([...texts.values()].filter(what => what.startsWith('text '))).toEqual(wanted)
  expect(
    received.every(({ id, what }) => texts.get(id) === what),
    'one id, one content',
  ).toBe(true)
  for (const [at, life] of lives.entries()) {
    expect(life, 'never out of order').toEqual(life.toSorted((a, b) => a - b))
    const last = lives[at - 1]?.at(-1) ?? 0
    expect(life[0] ?? last, 'only the last one comes again').toBeGreaterThanOrEqual(last)
  }
})

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
