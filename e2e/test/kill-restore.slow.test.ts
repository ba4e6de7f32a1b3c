// Backups of a gateway at random moments, between kills and during traffic, and restores of them.
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Update } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { GatewayProcess, PersonProcess } from '@postern/testkit/processes'
import { SeededRandom, seedFrom, timesFrom } from '@postern/testkit/random'
import { expect, test } from 'vitest'
import { botOf, expectAlive, type Parts, startParts } from './killable-parts.ts'

const ROUNDS = timesFrom('RESTORE_COUNT', { change: 1, campaign: 3 })
const KILLS = 3
const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/postern.mjs')
const postern = async (...args: string[]): Promise<boolean> =>
  await promisify(execFile)(process.execPath, [LAUNCHER, ...args]).then(
    () => true,
    () => false,
  )

test('[CLI-5.1] restored from whatever backup, a gateway under traffic loses nothing that the backup holds, repeats nothing, and gives out no update id again', async () => {
  const seed = seedFrom('RESTORE_SEED')
  console.info(`to repeat: RESTORE_SEED=${seed}`)
  const random = new SeededRandom(seed)
  const parts = await startParts(['alice'])
  const [alice] = parts.people as [PersonProcess]
  const bot = await botOf(parts.gateway)
  const person = await alice.ready()
  await alice.do('open', { invite: bot.invite_url })
  const talk = new Talk(parts.gateway, alice, { person, bot: bot.id, random })
  const talking = talk.run()
  talking.catch(() => undefined)

  for (let round = 0; round < ROUNDS; round++) {
    const backup = await backUpBetweenKills(parts, { random, round, place: () => talk.place() })
    await talk.goesOn()
    await parts.gateway.kill()
    rmSync(parts.gateway.directory, { recursive: true })
    expect(await postern('restore', backup.file, '--data', parts.gateway.directory)).toBe(true)
    talk.noteRestored(backup.place)
    parts.gateway.start()
    expectAlive(parts)
  }
  await talk.goesOn()
  talk.stop()
  await talking
  await talk.check()
  expectAlive(parts)
}, 600_000)

type Backup = { file: string; place: number }
type Making = { random: SeededRandom; round: number; place: () => number }

/**
 * Returns one that was made. Some meet a gateway that is absent, or that is killed meanwhile: those fail, or are
 * complete.
 */
async function backUpBetweenKills({ gateway }: Parts, { random, round, place }: Making): Promise<Backup> {
  const made: Backup[] = []
  const back = async (at: number) => {
    const begun = { file: `${gateway.directory}-${round}-${at}.tar`, place: place() }
    if (await postern('backup', '--data', gateway.directory, '--to', begun.file, '--plain')) made.push(begun)
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const backing = back(kill)
    await pause(random.below(1500))
    await gateway.kill()
    // If nothing runs, the backup has the lock, and the next start would be refused.
    await backing
    gateway.start()
  }
  // Because of the same lock: only next to a gateway that has started.
  await gateway.listening()
  for (let at = KILLS; made.length === 0; at++) await back(at)
  return random.of(made)
}

type Sent = { text: string; outcome: 'acknowledged' | 'in-doubt' }

/** Both talk without a pause, and the bot's program confirms the updates that it has read. */
class Talk {
  readonly #gateway: GatewayProcess
  readonly #alice: PersonProcess
  readonly #ids: { person: string; bot: string; random: SeededRandom }
  readonly #byBot: Sent[] = []
  readonly #byAlice: Sent[] = []
  readonly #updates: { id: number; text: string }[] = []
  /** Ranges of alice's messages that a restored gateway cannot read. */
  readonly #lost: { from: number; to: number }[] = []
  #lostFrom: number | undefined
  #newestBefore = 0
  #offset = 0
  #isOver = false

  constructor(
    gateway: GatewayProcess,
    alice: PersonProcess,
    ids: { person: string; bot: string; random: SeededRandom },
  ) {
    this.#gateway = gateway
    this.#alice = alice
    this.#ids = ids
  }

  async run(): Promise<void> {
    await Promise.all([this.#sayAsBot(), this.#sayAsAlice(), this.#poll()])
  }

  stop(): void {
    this.#isOver = true
  }

  /** The number of alice's messages that were begun and answered. */
  place(): number {
    return Math.max(0, this.#byAlice.length - 1)
  }

  /** Until the new messages of each have reached the other. */
  async goesOn(): Promise<void> {
    const from = this.#byAlice.length
    const before = acknowledged(this.#byBot).length
    const isHeard = () => this.#updates.some(({ text }) => this.#byAlice.slice(from).some(sent => sent.text === text))
    while (!isHeard() || acknowledged(this.#byBot).length <= before) await pause(50)
    if (this.#lostFrom !== undefined) this.#lost.push({ from: this.#lostFrom, to: this.#byAlice.length })
    this.#lostFrom = undefined
  }

  /**
   * Messages since the backup, under keys that the gateway had made since, are unreadable: from here until both
   * continue. And its program asks for updates above those that it had confirmed: new updates have higher ids.
   */
  noteRestored(place: number): void {
    this.#lostFrom = Math.min(place, this.#lostFrom ?? place)
    this.#newestBefore = Math.max(0, ...this.#updates.map(({ id }) => id))
    this.#offset = 0
  }

  async check(): Promise<void> {
    const wanted = this.#heldOfAlice()
    while (wanted.some(text => !this.#updates.some(update => update.text === text))) await this.#pollOnce()
    this.#assertOnce(await this.#heardByAlice(), { sent: this.#byBot, wanted: acknowledged(this.#byBot) })
    this.#assertOnce(await this.#shownByBot(), { sent: this.#byAlice, wanted })
    expect(new Set(this.#updates.map(({ id }) => id)).size, 'no update id twice').toBe(this.#updates.length)
  }

  #heldOfAlice(): string[] {
    const isLost = (at: number) => this.#lost.some(({ from, to }) => at >= from && at < to)
    return acknowledged(this.#byAlice.filter((_, at) => !isLost(at)))
  }

  #assertOnce(shown: string[], { sent, wanted }: { sent: Sent[]; wanted: string[] }): void {
    const known = new Set(sent.map(({ text }) => text))
    const ours = shown.filter(text => known.has(text))
    expect(new Set(ours).size, 'nothing twice').toBe(ours.length)
    expect(ours).toEqual(expect.arrayContaining(wanted))
    const places = ours.map(text => sent.findIndex(one => one.text === text))
    expect(places, 'in order').toEqual(places.toSorted((a, b) => a - b))
  }

  async #heardByAlice(): Promise<string[]> {
    const last = acknowledged(this.#byBot).at(-1)
    for (;;) {
      const texts = await allTexts(async before => {
        await this.#alice.ready()
        return await this.#alice.do<Message[]>('messages', { chat: this.#ids.bot, limit: 100, before })
      })
      if (last === undefined || texts.includes(last)) return texts
      await pause(100)
    }
  }

  async #shownByBot(): Promise<string[]> {
    return await allTexts(async before => {
      const path = `/v1/chats/${this.#ids.person}/messages?limit=100${before === undefined ? '' : `&before=${before}`}`
      return (await (await this.#call(path)).json()) as Message[]
    })
  }

  async #sayAsBot(): Promise<void> {
    for (let at = 0; !this.#isOver; at++) {
      const sent: Sent = { text: `bot ${at}`, outcome: 'in-doubt' }
      this.#byBot.push(sent)
      const path = `/v1/chats/${this.#ids.person}/messages`
      const answer = await this.#call(path, { text: sent.text }).catch(() => undefined)
      if (answer?.ok) sent.outcome = 'acknowledged'
      await pause(this.#ids.random.below(60))
    }
  }

  async #sayAsAlice(): Promise<void> {
    for (let at = 0; !this.#isOver; at++) {
      await this.#alice.ready()
      const sent: Sent = { text: `alice ${at}`, outcome: 'in-doubt' }
      this.#byAlice.push(sent)
      const answer = await this.#alice.ask('send', { chat: this.#ids.bot, text: sent.text })
      if (answer.kind === 'ok') sent.outcome = 'acknowledged'
      await pause(this.#ids.random.below(60))
    }
  }

  async #poll(): Promise<void> {
    while (!this.#isOver) await this.#pollOnce()
  }

  async #pollOnce(): Promise<void> {
    const answer = await this.#call(`/v1/updates?timeout=1&offset=${this.#offset}`).catch(() => undefined)
    const updates = answer?.ok ? ((await answer.json().catch(() => [])) as Update[]) : []
    if (updates.length === 0) await pause(20)
    for (const update of updates) {
      // After a kill, the same updates come again for an unconfirmed offset.
      if (this.#updates.some(({ id }) => id === update.id)) continue
      expect(update.id).toBeGreaterThan(this.#newestBefore)
      this.#updates.push({ id: update.id, text: update.type === 'message' ? (update.message.text ?? '') : update.type })
      this.#offset = update.id + 1
    }
  }

  async #call(path: string, body?: object): Promise<Response> {
    const { url, token } = this.#gateway
    return await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  }
}

const acknowledged = (sent: Sent[]): string[] =>
  sent.filter(({ outcome }) => outcome === 'acknowledged').map(({ text }) => text)

/** Oldest first. */
async function allTexts(page: (before: number | undefined) => Promise<Message[]>): Promise<string[]> {
  const texts: string[] = []
  for (let before: number | undefined; ; ) {
    const messages = await page(before)
    texts.unshift(...messages.map(message => message.text ?? ''))
    if (messages.length < 100) return texts
    before = messages[0]?.ts
  }
}
