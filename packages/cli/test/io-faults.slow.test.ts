// Relay, gateway and person as processes on a disk whose calls fail for a while: none ends, none is damaged, nothing
// acknowledged is lost.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bot, Update } from '@postern/bot-api'
import { type FailingCalls, FailingDisk, makeDiskFaults } from '@postern/testkit/disk-faults'
import { afterAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import { Postern } from './process.ts'
import { ScriptedPerson } from './scripted-person.ts'

const home = mkdtempSync(join(tmpdir(), 'postern-io-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const token = 'token-of-the-operator'
const parts = ['relay', 'gateway', 'person'] as const
type Part = (typeof parts)[number]

const ALL: FailingCalls[] = ['reads', 'writes', 'syncs']

async function urlOf(process: Postern): Promise<string> {
  await process.says(/"url":"[^"]+"/)
  return /"url":"([^"]+)"/.exec(process.stdout)?.[1] ?? ''
}

/** Retried, as any bot does, until it succeeds. */
async function untilOk<Answer>(ask: () => Promise<Response>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status === 200) return (await answer.json()) as Answer
    expect([answer.status, await answer.text()]).toEqual([503, expect.any(String)])
  }
}

/** All parts; one of them has its data on a disk that can fail. */
class Scene {
  readonly disk: FailingDisk
  readonly relay: Postern
  gateway!: Postern
  alice!: ScriptedPerson
  #url = ''
  #chat = ''
  #account = ''
  /** Acknowledged texts, by their receiver. */
  readonly told: { bot: string[]; alice: string[] } = { bot: [], alice: [] }
  #count = 0

  constructor(library: string, part: Part) {
    const place = mkdtempSync(join(home, `${part}-`))
    const directoryOf = (name: Part) => join(place, name)
    this.disk = new FailingDisk(library, directoryOf(part))
    const envOf = (name: Part): Record<string, string> => (name === part ? { ...this.disk.env } : {})
    this.relay = new Postern(['relay', '--listen', '127.0.0.1:0', '--data', directoryOf('relay')], envOf('relay'))
    this.open = async () => {
      const relayUrl = await urlOf(this.relay)
      const env = { BOT_TOKEN: token, BOT_NAME: 'bot', LISTEN: '127.0.0.1:0', RELAY_URL: relayUrl }
      this.gateway = new Postern(['gateway'], { ...env, ...envOf('gateway'), DATA_DIR: directoryOf('gateway') })
      this.#url = await urlOf(this.gateway)
      const options = ['--relay', relayUrl, '--data', directoryOf('person'), '--name', 'alice']
      this.alice = new ScriptedPerson(options, { env: envOf('person') })
      onTestFinished(() => this.alice[Symbol.asyncDispose]())
      this.#account = (await this.alice.ready()).id
      const { invite_url: invite } = await untilOk<Bot>(() => this.#call('/v1/me'))
      const { id } = await this.alice.do('open', { invite, text: 'first' })
      this.#chat = id as string
      this.told.bot.push('first')
      await expect.poll(() => this.botHeard(), { timeout: 30_000 }).toContain('first')
    }
  }

  readonly open: () => Promise<void>

  async #call(path: string, body?: object): Promise<Response> {
    try {
      return await fetch(`${this.#url}${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    } catch (error) {
      // Only its own words say why it is gone.
      const { isRunning, stdout, stderr } = this.gateway
      throw new Error(`no answer from the gateway (running: ${isRunning}): ${stdout}${stderr}`, { cause: error })
    }
  }

  async aliceSays(): Promise<void> {
    const text = `alice ${++this.#count}`
    const { ok } = await this.alice.ask('send', { chat: this.#chat, text })
    if (ok !== undefined) this.told.bot.push(text)
  }

  async botSays(): Promise<void> {
    const text = `bot ${++this.#count}`
    const answer = await this.#call(`/v1/chats/${this.#account}/messages`, { text })
    if (answer.status === 200) this.told.alice.push(text)
    await answer.text()
  }

  async botHeard(): Promise<string[]> {
    const updates = await untilOk<Update[]>(() => this.#call('/v1/updates'))
    return updates.flatMap(update => (update.type === 'message' && update.message.text ? [update.message.text] : []))
  }

  aliceHeard(): string[] {
    return this.alice.messages().flatMap(({ text }) => text ?? [])
  }

  /** Both send until both receive again: no part was restarted. */
  async recover(): Promise<void> {
    const before = { bot: this.told.bot.length, alice: this.told.alice.length }
    const isOver = () => this.told.bot.length > before.bot && this.told.alice.length > before.alice
    while (!isOver()) {
      await this.aliceSays()
      await this.botSays()
    }
    await expect.poll(() => this.botHeard(), { timeout: 60_000 }).toEqual(expect.arrayContaining(this.told.bot))
    await expect.poll(() => this.aliceHeard(), { timeout: 60_000 }).toEqual(expect.arrayContaining(this.told.alice))
  }

  /** Every received text was received once, and no log mentions damage. */
  async assertSound(): Promise<void> {
    for (const heard of [await this.botHeard(), this.aliceHeard()]) expect(heard).toEqual([...new Set(heard)])
    expect([this.relay.isRunning, this.gateway.isRunning]).toEqual([true, true])
    const said = [this.relay.stdout, this.relay.stderr, this.gateway.stdout, this.gateway.stderr, this.alice.stderr]
    expect(said.join('\n')).not.toMatch(/damaged\. Restore|database-damaged/)
  }
}

function libraryOf({ skip }: TestContext): string {
  const library = makeDiskFaults(home)
  if (library.kind === 'missing') return skip(library.why)
  return library.path
}

/** One after the other, each for a longer time. */
const faults: { calls: FailingCalls[]; share?: number; times: number }[] = [
  { calls: ALL, times: 1 },
  { calls: ['reads'], times: 3 },
  { calls: ['writes'], times: 3 },
  { calls: ['syncs'], times: 3 },
  { calls: [...ALL, 'opens'], times: 6 },
  { calls: ALL, share: 0.3, times: 10 },
]

describe.for(parts)('the disk of the %s', part => {
  test('[CLI-1.20] fails for a while, and everything acknowledged arrives once without a restart', async context => {
    const scene = new Scene(libraryOf(context), part)
    await scene.open()
    for (const { calls, share, times } of faults) {
      {
        using _failing = scene.disk.fail(calls, share)
        for (let time = 0; time < times; time++) await Promise.all([scene.aliceSays(), scene.botSays()])
      }
      await scene.recover()
      await scene.assertSound()
    }
  })
})
